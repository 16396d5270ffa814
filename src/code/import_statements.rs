//! The import statements of a file.

use tree_sitter::{Node, TreeCursor};

/// Calls `visit` with every import statement in the tree, in file order. Deep trees cannot overflow the stack.
pub(super) fn each_import(root: &Node, mut visit: impl FnMut(Node)) {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let is_import = matches!(
            node.kind(),
            "import_statement" | "import_from_statement" | "import_declaration"
        );
        if is_import {
            visit(node);
        }
        if !is_import && cursor.goto_first_child() {
            continue;
        }
        if !next_after(&mut cursor) {
            return;
        }
    }
}

fn next_after(cursor: &mut TreeCursor) -> bool {
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}
