//! What source means: parsing, outlines, imports, symbols, dependency resolution and levels, cached by blob id.
