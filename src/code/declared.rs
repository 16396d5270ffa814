//! Finds the function that a declaration names, among the functions that a patch touches.

use super::outline::{Definition, DefinitionKind, outline};
use crate::benchmark::{Language, ParameterTypes, RepoPath, declared_name};

/// A file after a patch.
#[derive(Debug, Clone, Copy)]
pub struct TouchedFile<'a> {
    /// Its path, relative to the root.
    pub path: &'a RepoPath,
    /// Its language.
    pub language: Language,
    /// Its text.
    pub text: &'a str,
    /// The lines that the patch added, counted from 1.
    pub added: &'a [u32],
}

/// What is known about the function.
#[derive(Debug, Clone, Copy, Default)]
pub struct Declared<'a> {
    /// Its declaration.
    pub declaration: &'a str,
    /// Its docstring, or the beginning of it.
    pub docstring: &'a str,
    /// Its file, if it is known.
    pub path: Option<&'a str>,
    /// Its name inside the file, if it is known. In Java it may have its package and its parameters.
    pub qualname: Option<&'a str>,
    /// The types of its parameters, if it is a Java method.
    pub parameters: Option<&'a ParameterTypes>,
}

/// A function that the declaration may name.
#[derive(Debug, Clone)]
pub struct DeclaredFunction {
    /// Its file.
    pub path: RepoPath,
    /// Its definition there.
    pub definition: Definition,
    is_new: bool,
    signature: String,
    docstring: String,
}

/// The functions that the declaration may name. They have its name and a line that the patch added; in Java they also
/// have its parameters. If several are left, these facts narrow them down, one after the other, as far as any function
/// fits: no `typing.overload`, the name inside the file in the record, a signature that the patch added as a whole, the
/// text of the declaration, the docstring.
pub fn declared_functions(
    declared: Declared<'_>,
    files: &[TouchedFile<'_>],
) -> Vec<DeclaredFunction> {
    let Some(name) = declared_name(declared.declaration) else {
        return Vec::new();
    };
    let mut found: Vec<DeclaredFunction> = files
        .iter()
        .filter(|file| declared.path.is_none_or(|path| file.path.as_str() == path))
        .flat_map(|file| functions_in(*file, name))
        .collect();
    let signature = squeezed(from_def(declared.declaration));
    let signature = signature.trim_end_matches([':', '{']);
    let docstring = squeezed(declared.docstring);
    narrow(&mut found, |each| !each.definition.overload);
    if let Some(parameters) = declared.parameters {
        retain_overloads(&mut found, parameters);
    }
    narrow(&mut found, |each| {
        declared
            .qualname
            .is_some_and(|qualname| is_called(qualname, &each.definition.qualname))
    });
    narrow(&mut found, |each| each.is_new);
    narrow(&mut found, |each| each.signature == signature);
    narrow(&mut found, |each| {
        !docstring.is_empty() && each.docstring.starts_with(&docstring)
    });
    found
}

/// Retains the methods with these parameters. If there are none, it retains those with these parameters after type
/// erasure.
fn retain_overloads(found: &mut Vec<DeclaredFunction>, parameters: &ParameterTypes) {
    let has = |each: &DeclaredFunction, fits: fn(&ParameterTypes, &ParameterTypes) -> bool| {
        let own = each.definition.parameters.as_ref();
        own.is_none_or(|own| fits(own, parameters))
    };
    let exact = found.iter().any(|each| has(each, ParameterTypes::fits));
    let fits = if exact {
        ParameterTypes::fits
    } else {
        ParameterTypes::fits_erased
    };
    found.retain(|each| has(each, fits));
}

/// Whether the name in a record (`a.b.C$In.f(int)`) is that of a definition (`C.In.f`). One of them may have more
/// components in front.
fn is_called(recorded: &str, qualname: &str) -> bool {
    let name = recorded.split('(').next().unwrap_or(recorded);
    let name = name.trim().replace('$', ".");
    let ends = |long: &str, short: &str| {
        let rest = long.strip_suffix(short);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    ends(&name, qualname) || ends(qualname, &name)
}

fn functions_in(file: TouchedFile<'_>, name: &str) -> Vec<DeclaredFunction> {
    let lines: Vec<&str> = file.text.lines().collect();
    let text = |span: crate::benchmark::LineSpan| {
        let from = (span.first() as usize).saturating_sub(1).min(lines.len());
        let to = (span.last() as usize).clamp(from, lines.len());
        lines[from..to].join("\n")
    };
    let added = |line: &u32| file.added.binary_search(line).is_ok();
    let definitions = outline(file.language, file.text.as_bytes()).definitions;
    let named = definitions.into_iter().filter(|each| {
        each.kind != DefinitionKind::Class
            && each.name() == name
            && file.added.iter().any(|line| each.whole.contains(*line))
    });
    let functions = named.map(|definition| {
        let signature = definition.signature;
        let docstring = definition.docstring.map(text).unwrap_or_default();
        let docstring = squeezed(&docstring);
        DeclaredFunction {
            path: file.path.clone(),
            is_new: (signature.first()..=signature.last()).all(|line| added(&line)),
            signature: squeezed(from_def(&text(signature)))
                .trim_end_matches([':', '{'])
                .to_owned(),
            docstring: docstring
                .trim_start_matches(['r', 'R', 'u', 'U', '"', '\''])
                .to_owned(),
            definition,
        }
    });
    functions.collect()
}

/// Retains only those that fit, if there are several and any of them fits.
fn narrow(found: &mut Vec<DeclaredFunction>, fits: impl Fn(&DeclaredFunction) -> bool) {
    if found.len() > 1 && found.iter().any(&fits) {
        found.retain(fits);
    }
}

/// A declaration without the decorators before it.
fn from_def(declaration: &str) -> &str {
    let mut at = 0;
    for line in declaration.split_inclusive('\n') {
        let start = line.trim_start();
        if start.starts_with("def ") || start.starts_with("async def ") {
            return &declaration[at..];
        }
        at += line.len();
    }
    declaration
}

/// The text without white space, so that its layout does not count.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
class A:
    @property
    def size(self):
        return 1

    @size.setter
    def size(self, value):
        self.n = value

    async def run(self): pass

class B:
    def size(self):
        \"\"\"The size of B.\"\"\"
        return 2

@overload
def get(x: int) -> int: ...
def get(x):
    def inner(y):
        return y
    return inner(x)
";

    fn found(declared: Declared<'_>, added: &[u32]) -> Vec<(String, u32)> {
        let path = RepoPath::new("p/a.py");
        let file = TouchedFile {
            path: &path,
            language: Language::Python,
            text: TEXT,
            added,
        };
        let found = declared_functions(declared, &[file]);
        let found = found.into_iter().map(|each| {
            let first = each.definition.signature.first();
            (each.definition.qualname, first)
        });
        found.collect()
    }

    fn by_declaration(declaration: &str, added: &[u32]) -> Vec<(String, u32)> {
        let declared = Declared {
            declaration,
            ..Declared::default()
        };
        found(declared, added)
    }

    #[test]
    fn a_declaration_names_one_of_the_touched_functions() {
        let all: Vec<u32> = (1..=21).collect();
        let one = |name: &str, line| vec![(name.to_owned(), line)];
        assert_eq!(
            by_declaration("@size.setter\ndef size(self,\n         value):", &all),
            one("A.size", 7)
        );
        assert_eq!(
            by_declaration("async def run(self):", &all),
            one("A.run", 10)
        );
        assert_eq!(by_declaration("def get(x)", &all), one("get", 19));
        assert_eq!(by_declaration("def inner(y):", &all), one("get.inner", 20));
        assert_eq!(by_declaration("def size(self):", &[14]), one("B.size", 13));
        assert_eq!(by_declaration("def none():", &all), []);
        assert_eq!(by_declaration("def run(self):", &[1]), []);
    }

    #[test]
    fn parameters_name_an_overload_of_java() {
        let path = RepoPath::new("src/main/java/p/C.java");
        let text = "class C {\n  C(int a) { }\n  void f(int a) { }\n  @Override\n  void f(String... a) { }\n  class In {\n    void f(int b) { }\n  }\n}\n";
        let file = TouchedFile {
            path: &path,
            language: Language::Java,
            text,
            added: &[2, 3, 4, 5, 6, 7, 8],
        };
        let lines = |declaration: &str, qualname: Option<&str>| -> Vec<u32> {
            let parameters = ParameterTypes::of_declaration(declaration);
            let declared = Declared {
                declaration,
                qualname,
                parameters: parameters.as_ref(),
                ..Declared::default()
            };
            let found = declared_functions(declared, &[file]).into_iter();
            found
                .map(|each| each.definition.signature.first())
                .collect()
        };
        assert_eq!(lines("@Override void f(String... a)", None), [5]);
        assert_eq!(lines("public C(int a)", None), [2]);
        assert_eq!(lines("void f(int c)", None), [3, 7]);
        assert_eq!(lines("void f(int c)", Some("p.C$In.f(int)")), [7]);
        assert_eq!(lines("void f(int c)", Some("In.f")), [7]);
        assert_eq!(lines("void f(long c)", None), [0_u32; 0]);
    }

    #[test]
    fn several_are_all_returned_until_another_fact_distinguishes_them() {
        let all: Vec<u32> = (1..=21).collect();
        let both = by_declaration("def size(self):", &all);
        assert_eq!(both, [("A.size".to_owned(), 3), ("B.size".to_owned(), 13)]);
        let declared = Declared {
            declaration: "def size(self):",
            docstring: "The size\nof B.",
            ..Declared::default()
        };
        assert_eq!(found(declared, &all), both[1..]);
        let declared = Declared {
            declaration: "def size(self):",
            qualname: Some("B.size"),
            ..Declared::default()
        };
        assert_eq!(found(declared, &all), both[1..]);
    }
}
