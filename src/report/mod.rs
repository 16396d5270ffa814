//! Tables and figures out: Markdown, CSV, LaTeX, JSON, HTML.
