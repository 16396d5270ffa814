//! SVG drawings from a few shapes. Every text is escaped. A drawing has no script and loads nothing.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use super::escape;

/// An estimate of a character's width in pixels, at a font size of 12 pixels. It is too large for most characters.
const CHARACTER: f64 = 7.0;

/// A drawing with a title. On an HTML page, lines and texts have the colour of the page's text, so that they are
/// readable on light and on dark pages.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    title: String,
    width: f64,
    height: f64,
    body: String,
    /// The lines of the footer. [`Picture::file`] draws these lines. [`Picture::inline`] does not, because the page
    /// shows them as text.
    pub(super) footer: Vec<String>,
}

/// The part of a text that is drawn at the given point.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Picture {
    /// An empty drawing. `width` and `height` are in pixels.
    pub(super) fn new(title: &str, width: f64, height: f64, footer: Vec<String>) -> Self {
        Self {
            title: title.to_owned(),
            width,
            height,
            body: String::new(),
            footer,
        }
    }

    /// An estimate of a text's width in pixels, usually too large.
    pub(super) fn text_width(text: &str) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a label's length in columns")]
        let columns = escape::one_line(text).width() as f64;
        columns * CHARACTER
    }

    /// The title.
    pub fn title(&self) -> &str {
        &self.title
    }

    pub(super) fn text(&mut self, x: f64, y: f64, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.draw(&format!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" fill="currentColor">{}</text>"#,
            escape::html(&escape::one_line(text))
        ));
    }

    /// Draws a filled box `[x, y, width, height]` in the accent colour, or in a pale shade of it.
    pub(super) fn bar(&mut self, [x, y, width, height]: [f64; 4], pale: bool) {
        let opacity = if pale { "0.15" } else { "1" };
        self.draw(&format!(
            r##"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="#3b76b3" fill-opacity="{opacity}"/>"##
        ));
    }

    pub(super) fn line(&mut self, [x1, y1, x2, y2]: [f64; 4], width: f64) {
        self.draw(&format!(
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="currentColor" stroke-width="{width}"/>"#
        ));
    }

    /// Draws a filled circle or a ring.
    pub(super) fn dot(&mut self, x: f64, y: f64, filled: bool) {
        let (fill, opacity) = if filled {
            ("currentColor", "1")
        } else {
            ("none", "0.4")
        };
        self.draw(&format!(
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="5" fill="{fill}" stroke="currentColor" stroke-opacity="{opacity}"/>"#
        ));
    }

    fn draw(&mut self, shape: &str) {
        self.body.push_str(shape);
        self.body.push('\n');
    }

    /// The drawing as an element of an HTML page, without the footer.
    pub fn inline(&self) -> String {
        self.element(self.height, self.width, "", "")
    }

    /// The drawing as a separate file on a white background, with the footer below.
    pub fn file(&self) -> String {
        let mut footer = String::new();
        let mut y = self.height + 16.0;
        let mut width = self.width;
        for line in &self.footer {
            let _ = writeln!(
                footer,
                r#"<text x="8" y="{y:.1}" fill="currentColor" font-size="10">{}</text>"#,
                escape::html(&escape::one_line(line))
            );
            y += 14.0;
            width = width.max(Self::text_width(line) * 0.85 + 16.0);
        }
        let background = r#"<rect width="100%" height="100%" fill="white"/>"#;
        self.element(y, width, background, &footer)
    }

    fn element(&self, height: f64, width: f64, before: &str, after: &str) -> String {
        let title = escape::html(&escape::one_line(&self.title));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{title}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" \
             font-size=\"12\" color=\"#222\">\n{before}<title>{title}</title>\n{}{after}</svg>\n",
            self.body
        )
    }
}
