//! Reads import, `global` and `nonlocal` statements.

use tree_sitter::Node;

use super::build::Builder;
use super::facts::{END, ImportFact, Source, Sym};
use crate::code::syntax;

impl Builder<'_> {
    /// Records a statement such as `import a.b, c as d`.
    pub(super) fn import(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        for child in children {
            let (module, alias) = self.imported(child);
            if module.is_empty() {
                continue;
            }
            let first = module.split('.').next().unwrap_or("").to_owned();
            let aliased = alias.is_some();
            let name = self.intern(alias.as_deref().unwrap_or(&first));
            self.add_import(node, module, 0, None, aliased, Some(name));
        }
    }

    /// Records a statement such as `from ..a import b as c, d`.
    pub(super) fn import_from(&mut self, node: Node<'_>) {
        let Some(place) = node.child_by_field_name("module_name") else {
            return;
        };
        let written = syntax::text(place, self.source);
        let compact: String = written.chars().filter(|c| !c.is_whitespace()).collect();
        let module = compact.trim_start_matches('.');
        let level = u32::try_from(compact.len() - module.len()).unwrap_or(u32::MAX);
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).skip(1).collect();
        for child in children {
            if child.kind() == "wildcard_import" {
                let index = self.add_import(node, module.to_owned(), level, None, false, None);
                self.facts.stars.push(index);
                continue;
            }
            let (name, alias) = self.imported(child);
            if name.is_empty() {
                continue;
            }
            let bound = self.intern(alias.as_deref().unwrap_or(&name));
            self.add_import(
                node,
                module.to_owned(),
                level,
                Some(name),
                alias.is_some(),
                Some(bound),
            );
        }
    }

    /// (dotted name, alias) of one imported module or name. The dotted name is empty if `node` is neither.
    fn imported(&self, node: Node<'_>) -> (String, Option<String>) {
        let compact = |node: Node<'_>| -> String {
            let text = syntax::text(node, self.source);
            text.chars().filter(|c| !c.is_whitespace()).collect()
        };
        match node.kind() {
            "dotted_name" => (compact(node), None),
            "aliased_import" => (
                node.child_by_field_name("name")
                    .map(compact)
                    .unwrap_or_default(),
                node.child_by_field_name("alias").map(compact),
            ),
            _ => (String::new(), None),
        }
    }

    /// Records one import, and binds the name `bound`, if any, to the import. Returns the import's index in
    /// [`Facts::imports`](super::facts::Facts::imports).
    fn add_import(
        &mut self,
        node: Node<'_>,
        module: String,
        level: u32,
        name: Option<String>,
        aliased: bool,
        bound: Option<Sym>,
    ) -> u32 {
        let index = u32::try_from(self.facts.imports.len()).unwrap_or(u32::MAX);
        self.facts.imports.push(ImportFact {
            module,
            level,
            name,
            aliased,
            line: u32::try_from(node.start_position().row).unwrap_or(u32::MAX),
            scope: self.scope(),
        });
        if let Some(bound) = bound {
            let at = u32::try_from(node.start_byte()).unwrap_or(u32::MAX);
            self.from = at;
            self.bind_name(bound, Source::Import(index), at, [END; 3], None);
        }
        index
    }

    /// Records a statement such as `global a, b`, or `nonlocal a, b` if `global` is false.
    pub(super) fn declare(&mut self, node: Node<'_>, global: bool) {
        let mut cursor = node.walk();
        let names: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        for child in names {
            let name = self.intern(syntax::text(child, self.source));
            let source = if global {
                Source::Global
            } else {
                Source::Nonlocal
            };
            let at = u32::try_from(node.start_byte()).unwrap_or(u32::MAX);
            self.bind_name(name, source, at, [END; 3], None);
        }
    }
}
