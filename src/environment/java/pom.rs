//! Finds the libraries that the `pom.xml` of a Java project names, in the local Maven repositories of this machine.
//!
//! Nothing is downloaded, and Maven is not run. If this machine does not have the requested version of a library,
//! another version replaces it. Format: the POM reference of Maven, <https://maven.apache.org/pom.html>.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use indexmap::IndexSet;
use roxmltree::{Document, Node};

use super::installed::numbers;
use crate::history::SourceTree;

/// The maximum number of a POM's parents, grandparents and so on that are read from the repositories.
const MAX_PARENTS: usize = 16;

/// The maximum number of placeholders that are replaced in a value.
const MAX_PLACEHOLDERS: usize = 16;

/// The coordinates of a library. The version is empty if the POM does not state it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Artifact {
    group: String,
    name: String,
    version: String,
}

impl Artifact {
    fn new(group: &str, name: &str) -> Self {
        Self {
            group: group.to_owned(),
            name: name.to_owned(),
            version: String::new(),
        }
    }
}

/// The contents of a POM, before or after inherited values are added and placeholders are replaced.
#[derive(Debug, Clone, Default)]
struct Pom {
    properties: BTreeMap<String, String>,
    parent: Option<Artifact>,
    dependencies: Vec<Dependency>,
    /// The entries of `dependencyManagement`. Key: (group, name). Value: version.
    managed: BTreeMap<(String, String), String>,
}

#[derive(Debug, Clone)]
struct Dependency {
    artifact: Artifact,
    scope: String,
    optional: bool,
}

impl Dependency {
    /// For a dependency of a library: whether the projects that use the library need the dependency too.
    fn is_transitive(&self) -> bool {
        matches!(self.scope.as_str(), "" | "compile" | "runtime") && !self.optional
    }
}

/// The jars that the project's `pom.xml` requires, in the order of Maven's class path: the jars of its dependencies in
/// any scope, then of their transitive dependencies. The files `pom.xml` in the folder of the source `path` and in the
/// folders above are merged, the nearest first. A library is skipped if no repository of this machine has it. Empty if
/// there is no `pom.xml`.
pub fn pom_jars(tree: &SourceTree, path: &str) -> Vec<PathBuf> {
    let repositories = Repositories::of_machine();
    jars_of(&project_pom(tree, path, &repositories), &repositories)
}

fn jars_of(project: &Pom, repositories: &Repositories) -> Vec<PathBuf> {
    let mut found = IndexSet::new();
    let mut seen = HashSet::new();
    let own = project.dependencies.iter();
    let mut queue: VecDeque<Artifact> = own.map(|own| own.artifact.clone()).collect();
    // If a project uses JUnit 5, Maven's test plugin adds these libraries.
    if queue.iter().any(|own| own.group == "org.junit.jupiter") {
        queue.push_back(Artifact::new("org.junit.jupiter", "junit-jupiter-engine"));
        queue.push_back(Artifact::new(
            "org.junit.platform",
            "junit-platform-launcher",
        ));
    }
    while let Some(artifact) = queue.pop_front() {
        if !seen.insert((artifact.group.clone(), artifact.name.clone())) {
            continue;
        }
        let Some((jar, pom)) = repositories.find(&artifact) else {
            continue;
        };
        found.extend(jar.map(|jar| jar.canonicalize().unwrap_or(jar)));
        let needed = pom
            .dependencies
            .into_iter()
            .filter(Dependency::is_transitive);
        queue.extend(needed.map(|needed| needed.artifact));
    }
    found.into_iter().collect()
}

/// The `pom.xml` of the module that contains `path`, with the values of the `pom.xml` files in the folders above. The
/// parents of the topmost file are read from the repositories.
fn project_pom(tree: &SourceTree, path: &str, repositories: &Repositories) -> Pom {
    let folders = Path::new(path).ancestors().skip(1);
    let files = folders.filter_map(|folder| {
        let bytes = tree.read(folder.join("pom.xml").to_str()?).ok()?;
        Pom::parsed(&String::from_utf8_lossy(&bytes))
    });
    let mut merged = Pom::default();
    for pom in files {
        merged.inherit(pom);
    }
    merged.with_parents(repositories).resolved()
}

impl Pom {
    /// Parses the text of a POM. `None` if the text is not well-formed XML.
    fn parsed(text: &str) -> Option<Self> {
        let document = Document::parse(text).ok()?;
        let root = document.root_element();
        let mut pom = Self {
            parent: child(root, "parent").map(artifact),
            ..Self::default()
        };
        let properties = child(root, "properties").into_iter();
        for property in properties.flat_map(|all| all.children().filter(Node::is_element)) {
            let name = property.tag_name().name().to_owned();
            pom.properties.insert(name, content(property));
        }
        for (name, inherited) in [("version", true), ("groupId", true), ("artifactId", false)] {
            let above = child(root, "parent").filter(|_| inherited);
            let value = text_of(root, name).or_else(|| text_of(above?, name));
            if let Some(value) = value {
                pom.properties.insert(format!("project.{name}"), value);
            }
        }
        let managed = child(root, "dependencyManagement").map(dependencies);
        for one in managed.unwrap_or_default() {
            let Artifact {
                group,
                name,
                version,
            } = one.artifact;
            pom.managed.insert((group, name), version);
        }
        pom.dependencies = dependencies(root);
        Some(pom)
    }

    /// Adds the parent's dependencies. Adds the parent's properties and managed versions, unless this POM sets them.
    /// Sets `self.parent` to the parent's parent.
    fn inherit(&mut self, parent: Self) {
        for (name, value) in parent.properties {
            self.properties.entry(name).or_insert(value);
        }
        for (name, version) in parent.managed {
            self.managed.entry(name).or_insert(version);
        }
        self.dependencies.extend(parent.dependencies);
        self.parent = parent.parent;
    }

    /// Adds the values of the POM's parents, as far as the repositories have them.
    fn with_parents(mut self, repositories: &Repositories) -> Self {
        for _ in 0..MAX_PARENTS {
            let Some(parent) = self.parent.take() else {
                break;
            };
            if let Some(parent) = repositories.pom(&parent) {
                self.inherit(parent);
            }
        }
        self
    }

    /// Replaces the placeholders in the dependencies, and adds the managed versions to dependencies without a version.
    /// A text that contains a placeholder without a value becomes empty.
    fn resolved(mut self) -> Self {
        let value = |text: &str| substituted(text, &self.properties);
        let managed: BTreeMap<(String, String), String> = self
            .managed
            .iter()
            .map(|((group, name), version)| ((value(group), value(name)), value(version)))
            .collect();
        for Dependency { artifact, .. } in &mut self.dependencies {
            artifact.group = value(&artifact.group);
            artifact.name = value(&artifact.name);
            artifact.version = value(&artifact.version);
            let key = (artifact.group.clone(), artifact.name.clone());
            if artifact.version.is_empty() {
                artifact.version = managed.get(&key).cloned().unwrap_or_default();
            }
        }
        self
    }
}

/// The text with each placeholder `${name}` replaced. Empty if a name has no value, if a placeholder is not closed, or
/// if there are more than [`MAX_PLACEHOLDERS`] placeholders.
fn substituted(text: &str, properties: &BTreeMap<String, String>) -> String {
    let mut text = text.to_owned();
    // A value may contain placeholders, and placeholders may form a cycle, so the number of replacements is limited.
    for _ in 0..=MAX_PLACEHOLDERS {
        let Some(start) = text.find("${") else {
            return text;
        };
        let Some(length) = text[start..].find('}') else {
            break;
        };
        let name = &text[start + 2..start + length];
        let name = name
            .strip_prefix("pom.")
            .map_or_else(|| name.to_owned(), |name| format!("project.{name}"));
        let Some(value) = properties.get(&name) else {
            break;
        };
        text.replace_range(start..=start + length, value);
    }
    String::new()
}

fn dependencies(parent: Node) -> Vec<Dependency> {
    let all = child(parent, "dependencies").into_iter();
    let all = all.flat_map(|all| all.children().filter(|node| is_named(*node, "dependency")));
    // A classifier marks an archive of sources, tests or native code. The type `pom` marks a list of versions. Both are
    // left out, because they are not libraries of classes.
    let jars = all.filter(|node| {
        child(*node, "classifier").is_none()
            && matches!(text_of(*node, "type").as_deref(), None | Some("jar"))
    });
    jars.map(|node| Dependency {
        artifact: artifact(node),
        scope: text_of(node, "scope").unwrap_or_default(),
        optional: text_of(node, "optional").as_deref() == Some("true"),
    })
    .collect()
}

fn artifact(node: Node) -> Artifact {
    let text = |name: &str| text_of(node, name).unwrap_or_default();
    Artifact {
        group: text("groupId"),
        name: text("artifactId"),
        version: text("version"),
    }
}

/// Whether the node is an element with this name, in any XML namespace. Old POMs have no namespace.
fn is_named(node: Node, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    node.children().find(|child| is_named(*child, name))
}

fn text_of(node: Node, name: &str) -> Option<String> {
    child(node, name).map(content)
}

fn content(node: Node) -> String {
    node.text().unwrap_or_default().trim().to_owned()
}

/// The local repositories of Maven.
struct Repositories(Vec<PathBuf>);

impl Repositories {
    /// The user's repository, and the repository of Debian's packages.
    fn of_machine() -> Self {
        let home = env::home_dir().unwrap_or_default();
        Self(vec![
            home.join(".m2/repository"),
            PathBuf::from("/usr/share/maven-repo"),
        ])
    }

    /// (jar, POM with inherited values) of a library. `None` if no repository has the library. The jar is `None` if the
    /// repositories have only the POM, for example because the library only names other libraries.
    fn find(&self, artifact: &Artifact) -> Option<(Option<PathBuf>, Pom)> {
        let jar = self.file(artifact, "jar");
        let file = jar.clone().or_else(|| self.file(artifact, "pom"))?;
        let text = fs::read_to_string(file.with_extension("pom")).unwrap_or_default();
        let pom = Pom::parsed(&text).unwrap_or_default();
        Some((jar, pom.with_parents(self).resolved()))
    }

    fn pom(&self, artifact: &Artifact) -> Option<Pom> {
        let file = self.file(artifact, "pom")?;
        Pom::parsed(&fs::read_to_string(file).ok()?)
    }

    /// The library's file with this extension, in the best version that the repositories have. The best version is the
    /// requested version, or else the highest version with the same major number, or else the highest version. `None`
    /// if no repository has such a file.
    fn file(&self, artifact: &Artifact, extension: &str) -> Option<PathBuf> {
        // The coordinates come from the project, and must not form a path outside of the repositories.
        let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['/', '\\']);
        if !artifact.group.split('.').all(is_plain) || !is_plain(&artifact.name) {
            return None;
        }
        let below = Path::new(&artifact.group.replace('.', "/")).join(&artifact.name);
        let mut found = Vec::new();
        for repository in &self.0 {
            let versions = fs::read_dir(repository.join(&below));
            for version in versions.into_iter().flatten().flatten() {
                let name = version.file_name().to_string_lossy().into_owned();
                let file = format!("{}-{name}.{extension}", artifact.name);
                let file = version.path().join(file);
                if file.is_file() {
                    found.push((rank(&name, &artifact.version), file));
                }
            }
        }
        found.into_iter().max().map(|(_, file)| file)
    }
}

/// How well a version matches the requested version: (whether the versions are equal, whether their major numbers are
/// equal, the numbers of `version`). A greater value is better.
fn rank(version: &str, asked: &str) -> (bool, bool, Vec<u32>) {
    let major = |version: &str| numbers(version).first().copied();
    let is_same_major = major(asked).is_some() && major(version) == major(asked);
    (version == asked, is_same_major, numbers(version))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "<project><groupId>org.a</groupId><artifactId>parent</artifactId><version>1</version>\
        <properties><b.version>2.0</b.version></properties><dependencyManagement><dependencies><dependency>\
        <groupId>org.b</groupId><artifactId>b</artifactId><version>${b.version}</version></dependency>\
        </dependencies></dependencyManagement></project>";
    const CHILD: &str = "<project xmlns='http://maven.apache.org/POM/4.0.0'><parent><groupId>org.a</groupId>\
        <artifactId>parent</artifactId><version>1</version></parent><artifactId>child</artifactId><dependencies>\
        <dependency><groupId>org.b</groupId><artifactId>b</artifactId></dependency>\
        <dependency><groupId>org.d</groupId><artifactId>absent</artifactId><version>${none}</version></dependency>\
        <dependency><groupId>org.c</groupId><artifactId>c</artifactId><type>pom</type></dependency>\
        </dependencies></project>";
    const LIBRARY: &str = "<project><groupId>org.b</groupId><artifactId>b</artifactId><version>2.0</version>\
        <dependencies><dependency><groupId>org.e</groupId><artifactId>e</artifactId><version>7</version></dependency>\
        <dependency><groupId>org.f</groupId><artifactId>f</artifactId><scope>test</scope></dependency>\
        </dependencies></project>";

    fn add(repository: &Path, folder: &str, version: &str, pom: &str) {
        let name = Path::new(folder).file_name().unwrap().to_str().unwrap();
        let folder = repository.join(folder).join(version);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{name}-{version}.pom")), pom).unwrap();
        fs::write(folder.join(format!("{name}-{version}.jar")), "").unwrap();
    }

    #[test]
    fn transitive_dependencies_and_versions_managed_by_parents_are_included() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        add(root, "org/a/parent", "1", PARENT);
        for (version, pom) in [
            ("1.9", "<project/>"),
            ("2.0", LIBRARY),
            ("3.1", "<project/>"),
        ] {
            add(root, "org/b/b", version, pom);
        }
        add(root, "org/e/e", "7.2", "<project/>");
        add(root, "org/e/e", "8.0", "<project/>");
        add(root, "org/f/f", "1", "<project/>");
        let repositories = Repositories(vec![root.to_owned()]);
        let pom = Pom::parsed(CHILD).unwrap();
        let pom = pom.with_parents(&repositories).resolved();
        let found = jars_of(&pom, &repositories);
        let names: Vec<_> = found
            .iter()
            .map(|jar| jar.file_name().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["b-2.0.jar", "e-7.2.jar"]);
    }

    #[test]
    fn the_requested_version_ranks_before_the_same_major_version_and_other_versions() {
        let mut versions = ["debian", "3.8.2", "4.12", "4.13.2", "5.1"];
        versions.sort_by_key(|version| std::cmp::Reverse(rank(version, "4.12")));
        assert_eq!(versions, ["4.12", "4.13.2", "5.1", "3.8.2", "debian"]);
        versions.sort_by_key(|version| std::cmp::Reverse(rank(version, "")));
        assert_eq!(versions[0], "5.1");
    }

    #[test]
    fn coordinates_do_not_lead_out_of_the_repositories() {
        let place = tempfile::tempdir().unwrap();
        add(place.path(), "outside/a", "1", "<project/>");
        let inside = place.path().join("inside");
        fs::create_dir(&inside).unwrap();
        let outside = place.path().join("outside").display().to_string();
        let repositories = Repositories(vec![inside]);
        let absolute = outside.replace('/', ".");
        for group in ["../outside", &outside, &absolute, "..outside", ""] {
            let found = repositories.file(&Artifact::new(group, "a"), "jar");
            assert_eq!(found, None, "{group}");
        }
        for name in ["../../outside/a", "..", ""] {
            let found = repositories.file(&Artifact::new("org", name), "jar");
            assert_eq!(found, None, "{name}");
        }
    }

    #[test]
    fn placeholders_in_a_cycle_have_no_value() {
        let properties = [("a", "${b}"), ("b", "${a}"), ("c", "1.${d}"), ("d", "2")];
        let properties = properties.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let properties = BTreeMap::from(properties);
        assert_eq!(substituted("${a}", &properties), "");
        assert_eq!(substituted("${c}-x", &properties), "1.2-x");
        assert_eq!(substituted("${none}", &properties), "");
        assert_eq!(substituted("${open", &properties), "");
    }

    #[test]
    fn a_file_that_is_no_pom_has_no_dependencies() {
        let deep = "<a>".repeat(200_000);
        for text in ["", "<project", "<a/>", "\u{0}", &deep] {
            let pom = Pom::parsed(text).unwrap_or_default();
            assert!(pom.dependencies.is_empty());
        }
    }
}
