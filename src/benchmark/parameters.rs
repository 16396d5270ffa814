//! The types of a Java method's parameters, which distinguish overloads. They are read from declarations and from
//! qualified names.

/// The types of a method's parameters, in order, without parameter names, annotations, modifiers, type arguments and
/// spaces. `T...` becomes `T[]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParameterTypes(Box<[Box<str>]>);

impl ParameterTypes {
    /// Reads the types in a declaration (`@A public <T> void f(final List<T> a, int... b) throws E`) or in a qualified
    /// name (`p.C.f(List<T>,int[])`). `None` if there is no list of parameters, or if the list is not closed.
    pub fn of_declaration(declaration: &str) -> Option<Self> {
        let open = parameters_start(declaration)?;
        let close = closing(declaration, open)?;
        Some(Self::of_list(&declaration[open + 1..close]))
    }

    /// Reads the types in a list of parameters. `list` begins after the opening parenthesis. Text after the closing
    /// parenthesis is ignored.
    pub(crate) fn of_list(list: &str) -> Self {
        let parameters = split(list);
        let types = parameters.iter().filter_map(|parameter| type_of(parameter));
        Self(types.map(String::into_boxed_str).collect())
    }

    /// Whether both lists may belong to the same overload. They must have the same number of types, and each type must
    /// be equal to the type at the same position in `other`. `Map.Entry` and `Entry` count as equal.
    pub fn fits(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| is_same(a, b))
    }

    /// Like [`Self::fits`], but a type variable (`T`) is also equal to `Object`, by which type erasure replaces it.
    pub fn fits_erased(&self, other: &Self) -> bool {
        let same = |a: &str, b: &str| is_same(a, b) || is_erased(a, b) || is_erased(b, a);
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| same(a, b))
    }

    /// The list as messages show it: `(int, String[])`.
    pub fn shown(&self) -> String {
        format!("({})", self.0.join(", "))
    }
}

/// The byte offset of the parenthesis that opens a declaration's list of parameters. Annotations and their arguments
/// are skipped. `None` if there is no such parenthesis.
pub(crate) fn parameters_start(declaration: &str) -> Option<usize> {
    let bytes = declaration.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'(' => return Some(at),
            b'@' => at = after_annotation(declaration, at),
            _ => at += 1,
        }
    }
    None
}

/// The byte offset after the annotation that begins at `at`, and after its arguments if it has any.
fn after_annotation(text: &str, at: usize) -> usize {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let rest = &text[at + 1..];
    let name = rest.len() - rest.trim_start_matches(is_name).len();
    let after = at + 1 + name;
    let blanks = text[after..].len() - text[after..].trim_start().len();
    if text[after + blanks..].starts_with('(') {
        closing(text, after + blanks).map_or(text.len(), |end| end + 1)
    } else {
        after
    }
}

/// The byte offset of the parenthesis that closes the parenthesis at `open`. Parentheses in literals are skipped.
/// `None` if there is no closing parenthesis.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut literal = None;
    let mut escaped = false;
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < open) {
        match (literal, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(quote), _) if c == quote => literal = None,
            (None, '"' | '\'') => literal = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The parameters of a list, up to its closing parenthesis, without annotations, comments and type arguments.
fn split(list: &str) -> Vec<String> {
    let plain = without_comments(list);
    let mut parameters = vec![String::new()];
    let (mut angles, mut at) = (0_usize, 0);
    while let Some(c) = plain[at..].chars().next() {
        match c {
            '@' => {
                at = after_annotation(&plain, at);
                continue;
            }
            ')' => break,
            '<' => angles += 1,
            '>' => angles = angles.saturating_sub(1),
            ',' if angles == 0 => parameters.push(String::new()),
            // Type arguments do not distinguish overloads.
            _ if angles > 0 => {}
            _ => parameters
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|last| last.push(c)),
        }
        at += c.len_utf8();
    }
    parameters
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        out.push_str(&rest[..at]);
        out.push(' ');
        let end = if rest[at..].starts_with("/*") {
            "*/"
        } else {
            "\n"
        };
        let Some(close) = rest[at + 2..].find(end) else {
            return out;
        };
        rest = &rest[at + 2 + close + end.len()..];
    }
    out + rest
}

/// The type in `parameter`. A name may follow the type. `None` if `parameter` is empty or the receiver `this`.
fn type_of(parameter: &str) -> Option<String> {
    let spread = parameter.replace("...", "[]");
    let dimensions = spread.matches('[').count();
    let words: String = spread
        .chars()
        .map(|c| if matches!(c, '[' | ']') { ' ' } else { c })
        .collect();
    // A qualified name may have spaces around its dots.
    let words = words
        .replace('$', ".")
        .replace(" .", ".")
        .replace(". ", ".");
    let words: Vec<&str> = words
        .split_whitespace()
        .filter(|word| *word != "final")
        .collect();
    let (base, name) = (words.first()?, words.get(1).copied().unwrap_or_default());
    let receiver = name.rsplit('.').next() == Some("this");
    (!receiver).then(|| format!("{base}{}", "[]".repeat(dimensions)))
}

/// Whether the types are equal, or differ only in a qualifier that one of them has: `Map.Entry` and `Entry`.
fn is_same(a: &str, b: &str) -> bool {
    let ends = |long: &str, short: &str| {
        let rest = long.strip_suffix(short);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    ends(a, b) || ends(b, a)
}

/// Whether `variable` looks like a type variable (`T`, `K2[]`), and `erased` is `Object` with the same array
/// dimensions.
fn is_erased(variable: &str, erased: &str) -> bool {
    let (name, dimensions) = variable.split_at(variable.find('[').unwrap_or(variable.len()));
    let mut letters = name.chars();
    letters.next().is_some_and(char::is_uppercase)
        && letters.all(|c| c.is_ascii_digit())
        && erased
            .strip_suffix(dimensions)
            .is_some_and(|base| is_same(base, "Object"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(declaration: &str) -> String {
        ParameterTypes::of_declaration(declaration).unwrap().shown()
    }

    #[test]
    fn types_are_read_from_declarations_and_names() {
        for (declaration, expected) in [
            ("void f()", "()"),
            (
                "static String f(String name, char separator)",
                "(String, char)",
            ),
            (
                "public <T> void f(final Map<K, List<T>> a, int... b) throws E {",
                "(Map, int[])",
            ),
            (
                "@A(x = \")(\", y = 2) @B public C(@D(1) final int a[], long[] b[])",
                "(int[], long[][])",
            ),
            (
                "void f(java.util.Map . Entry<K,V> e, Map$Entry g)",
                "(java.util.Map.Entry, Map.Entry)",
            ),
            (
                "void f(Outer this, /* a, b */ int c, // d\n int e)",
                "(int, int)",
            ),
            ("p.C.f(String,char[],T...)", "(String, char[], T[])"),
            ("void f(@A Outer.@B Inner a)", "(Outer.Inner)"),
        ] {
            assert_eq!(types(declaration), expected, "{declaration}");
        }
        assert_eq!(ParameterTypes::of_declaration("int size"), None);
        assert_eq!(ParameterTypes::of_declaration("void f(int a,"), None);
        assert_eq!(ParameterTypes::of_declaration("@A(1) int size"), None);
    }

    #[test]
    fn overloads_are_distinguished() {
        let fits = |a: &str, b: &str| {
            let [a, b] = [a, b].map(ParameterTypes::of_list);
            assert_eq!(a.fits(&b), b.fits(&a));
            a.fits(&b)
        };
        assert!(fits("Map.Entry<K, V> e", "java.util.Map$Entry"));
        assert!(fits("String... a", "String[]"));
        for (a, b) in [
            ("String a", "char[] a"),
            ("int a", "int[]"),
            ("int", "int, int"),
            ("float", "Float"),
            ("T", "Object"),
        ] {
            assert!(!fits(a, b), "{a} {b}");
        }
        let erased =
            |a: &str, b: &str| ParameterTypes::of_list(a).fits_erased(&ParameterTypes::of_list(b));
        assert!(erased("T[] a, K2 b", "java.lang.Object[], Object"));
        assert!(!erased("T a", "Object[]") && !erased("Test a", "Object"));
    }
}
