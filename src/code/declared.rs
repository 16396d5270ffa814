//! Finds the function that a declaration names. Only functions with lines that a patch added are searched.

use super::outline::{Definition, DefinitionKind, outline};
use crate::benchmark::{Language, ParameterTypes, RepoPath, declared_name};

/// A file after a patch.
#[derive(Debug, Clone, Copy)]
pub struct TouchedFile<'a> {
    /// The file's path, relative to the root of the repository.
    pub path: &'a RepoPath,
    /// The file's language.
    pub language: Language,
    /// The file's text after the patch.
    pub text: &'a str,
    /// The 1-based numbers of the lines that the patch added, in ascending order.
    pub added: &'a [u32],
}

/// What a benchmark's record says about the function to find.
#[derive(Debug, Clone, Copy, Default)]
pub struct Declared<'a> {
    /// The function's declaration.
    pub declaration: &'a str,
    /// The function's docstring, or the beginning of the docstring. Empty if it is not known.
    pub docstring: &'a str,
    /// The path of the function's file. `None` if it is not known.
    pub path: Option<&'a str>,
    /// The function's name inside the file. `None` if it is not known. A Java name may include the package and the
    /// parameters: `a.b.C$In.f(int)`.
    pub qualname: Option<&'a str>,
    /// The types of the function's parameters, if it is a Java method.
    pub parameters: Option<&'a ParameterTypes>,
}

/// A function that may be the one to find.
#[derive(Debug, Clone)]
pub struct DeclaredFunction {
    /// The path of the function's file.
    pub path: RepoPath,
    /// The function's definition in that file.
    pub definition: Definition,
    /// Whether the patch added every line of the signature.
    is_new: bool,
    /// The signature without white space, decorators and the final `:` or `{`.
    signature: String,
    /// The docstring without white space and opening quotes. Empty if there is none.
    docstring: String,
}

/// The functions that may be the one to find. Each function has the declared name and contains a line that the patch
/// added. If `declared.path` is known, the function is in that file. If `declared.parameters` is known, the function
/// has these parameters. If several functions remain, the following criteria select among them, in this order. A
/// criterion that no remaining function meets is skipped.
///
/// 1. The function is not decorated with `typing.overload`.
/// 2. Its name inside the file matches `declared.qualname`.
/// 3. The patch added every line of its signature.
/// 4. Its signature is the text of the declaration, apart from white space.
/// 5. Its docstring begins with `declared.docstring`, apart from white space.
///
/// The result is empty if the declaration has no name or no function fits.
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

/// Retains the methods with these parameter types, or else the methods with these parameter types after type erasure.
/// Also retains definitions without known parameter types.
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

/// Whether a name in a record (`a.b.C$In.f(int)`) names the definition with this qualname (`C.In.f`). Each name may
/// begin with components that the other name lacks.
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

/// Retains only the functions that fit. Changes nothing if there is only one function, or if none fits.
fn narrow(found: &mut Vec<DeclaredFunction>, fits: impl Fn(&DeclaredFunction) -> bool) {
    if found.len() > 1 && found.iter().any(&fits) {
        found.retain(fits);
    }
}

/// A declaration without its decorators. A declaration without `def` is returned unchanged.
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

/// The text without white space, so that texts with different line breaks are equal.
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
    fn parameter_types_select_an_overload_in_java() {
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
    fn all_functions_of_the_name_are_returned_unless_docstring_or_qualname_selects_one() {
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
