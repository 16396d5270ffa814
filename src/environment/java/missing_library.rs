//! If Java code fails to compile or run: finds the missing library, and suggests a setting that adds the library.

/// Well-known libraries. If a library's package contains the package of another library, the library with the longer
/// package name comes first.
const LIBRARIES: [Library; 18] = [
    (
        "org.junit.jupiter.params",
        "org.junit.jupiter:junit-jupiter-params",
        "junit-jupiter-params.jar",
        "junit5",
    ),
    (
        "org.junit.jupiter",
        "org.junit.jupiter:junit-jupiter",
        "junit-jupiter-api.jar",
        "junit5",
    ),
    ("org.junit", "junit:junit", "junit4.jar", "junit4"),
    ("junit", "junit:junit", "junit4.jar", "junit4"),
    (
        "org.hamcrest",
        "org.hamcrest:hamcrest",
        "hamcrest.jar",
        "libhamcrest-java",
    ),
    (
        "org.assertj",
        "org.assertj:assertj-core",
        "assertj-core.jar",
        "libassertj-core-java",
    ),
    (
        "org.mockito",
        "org.mockito:mockito-core",
        "mockito-core.jar",
        "libmockito-java",
    ),
    (
        "org.easymock",
        "org.easymock:easymock",
        "easymock.jar",
        "libeasymock-java",
    ),
    (
        "net.bytebuddy",
        "net.bytebuddy:byte-buddy",
        "byte-buddy.jar",
        "libbyte-buddy-java",
    ),
    (
        "com.google.common.truth",
        "com.google.truth:truth",
        "truth.jar",
        "libtruth-java",
    ),
    (
        "com.google.common.testing",
        "com.google.guava:guava-testlib",
        "guava-testlib.jar",
        "libguava-testlib-java",
    ),
    (
        "com.google.common",
        "com.google.guava:guava",
        "guava.jar",
        "libguava-java",
    ),
    (
        "org.apache.commons.lang3",
        "org.apache.commons:commons-lang3",
        "commons-lang3.jar",
        "libcommons-lang3-java",
    ),
    (
        "org.apache.commons.io",
        "commons-io:commons-io",
        "commons-io.jar",
        "libcommons-io-java",
    ),
    (
        "org.apache.commons.codec",
        "commons-codec:commons-codec",
        "commons-codec.jar",
        "libcommons-codec-java",
    ),
    (
        "org.apache.commons.logging",
        "commons-logging:commons-logging",
        "commons-logging.jar",
        "libcommons-logging-java",
    ),
    (
        "org.slf4j",
        "org.slf4j:slf4j-api",
        "slf4j-api.jar",
        "libslf4j-java",
    ),
    (
        "javax.annotation",
        "com.google.code.findbugs:jsr305",
        "jsr305.jar",
        "libjsr305-java",
    ),
];

/// What to add to the class path, according to the messages of the compiler and the JVM in `evidence`. `None` if the
/// messages name no library that is missing or has the wrong version.
pub(in crate::environment) fn fix(evidence: &str) -> Option<String> {
    if evidence.contains("evoscope.runner.JupiterTests")
        || evidence.contains("evoscope.runner.JUnit4Tests")
    {
        return Some("the class path has no engine for these tests: JUnit 4 needs junit4.jar and hamcrest.jar; JUnit 5 needs junit-jupiter-api, junit-jupiter-engine, junit-platform-commons, junit-platform-engine, junit-platform-launcher, opentest4j and apiguardian-api; add these files in evoscope.toml: classpath = [\"…\"]".to_owned());
    }
    let package = missing_package(evidence).filter(|package| !is_of_project(package, evidence));
    let Some(package) = package else {
        return other_version(evidence);
    };
    let library = library_of(&package).map_or_else(
        || format!("the library with the package {package}"),
        |(_, artifact, file, debian)| format!("{artifact} ({file}, Debian's package {debian})"),
    );
    Some(format!(
        "add {library} in evoscope.toml: classpath = [\"…\"]"
    ))
}

/// (package of the library, Maven coordinates, file name, Debian package).
type Library = (&'static str, &'static str, &'static str, &'static str);

/// The library that contains the package or class with this full name; `None` if [`LIBRARIES`] does not list the
/// library.
fn library_of(name: &str) -> Option<&'static Library> {
    LIBRARIES.iter().find(|(prefix, ..)| {
        let rest = name.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// Whether the project itself is the library that contains `package`. True if `evidence` names source files of that
/// library.
fn is_of_project(package: &str, evidence: &str) -> bool {
    let Some((prefix, ..)) = library_of(package) else {
        return false;
    };
    let folder = format!("/{}/", prefix.replace('.', "/"));
    let mut words = evidence.split_whitespace();
    words.any(|word| word.contains(&folder) && word.contains(".java:"))
}

/// The fix for a library on the class path that lacks a class or method, because the project needs another version of
/// the library. `None` if `evidence` names no known library with such a fault.
fn other_version(evidence: &str) -> Option<String> {
    let after = |mark: &str| Some(evidence.split_once(mark)?.1.trim_start());
    let named = [
        "location: package",
        "location: class",
        "location: interface",
        "NoSuchMethodError: '",
    ];
    let place = named.iter().find_map(|mark| after(mark))?;
    let library = place
        .split(|c: char| c.is_whitespace() || c == '(')
        .filter(|name| !is_of_project(name, evidence))
        .find_map(library_of)?;
    Some(format!(
        "the project needs another version of {} than the class path has: name a newer file in evoscope.toml: classpath = [\"…\"]",
        library.1
    ))
}

/// The package that the compiler or the class loader cannot find. `None` if `evidence` names no such package.
fn missing_package(evidence: &str) -> Option<String> {
    let line = |mark: &str| evidence.split_once(mark).map(|(_, rest)| rest);
    if let Some((before, _)) = evidence.split_once(" does not exist")
        && let Some(package) = before.rsplit("package ").next()
        && is_name(package)
    {
        return Some(package.to_owned());
    }
    let class = line("NoClassDefFoundError: ").or_else(|| line("ClassNotFoundException: "))?;
    let class: String = class.split_whitespace().next()?.replace('/', ".");
    let (package, _) = class.rsplit_once('.')?;
    is_name(package).then(|| package.to_owned())
}

fn is_name(text: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    !text.is_empty() && text.chars().all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_not_suggested_as_a_missing_library() {
        let evidence = "src/test/java/org/apache/commons/codec/digest/DigestUtilsTest.java:45: package \
                        org.apache.commons.codec.gone does not exist";
        assert_eq!(fix(evidence), None);
    }

    #[test]
    fn a_missing_library_is_named() {
        for (evidence, words) in [
            (
                "src/A.java:3: package org.mockito.stubbing does not exist",
                "org.mockito:mockito-core (mockito-core.jar, Debian's package libmockito-java)",
            ),
            (
                "package org.junitx does not exist",
                "the library with the package org.junitx",
            ),
            (
                "java.lang.NoClassDefFoundError: org/hamcrest/Matcher\n\tat x",
                "org.hamcrest:hamcrest",
            ),
            (
                "java.lang.ClassNotFoundException: evoscope.runner.JupiterTests",
                "no engine for these tests",
            ),
        ] {
            let found = fix(evidence).unwrap();
            assert!(found.contains(words), "{found}");
        }
        let older = "cannot find symbol symbol: method of(int) location: class org.apache.commons.lang3.Range<T>";
        assert!(
            fix(older)
                .unwrap()
                .contains("another version of org.apache.commons:commons-lang3")
        );
        assert_eq!(fix("cannot find symbol\n  location: class p.A"), None);
        assert_eq!(fix("cannot find symbol"), None);
        assert_eq!(fix("the file a.txt does not exist"), None);
    }
}
