use std::fs;

use ratatui::style::{Color, Modifier};

use super::*;

fn load(name: &str, depth: ColourDepth) -> Theme {
    Theme::load(name, &ThemeFolders::built_in(), depth).unwrap()
}

/// The problems of a theme file with this text, each as `LINE: MESSAGE (HINT)`.
fn problems(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    fs::write(&path, text).unwrap();
    Theme::file_problems(&path, &ThemeFolders::built_in())
        .iter()
        .map(|why| {
            let place = why.place().unwrap();
            format!(
                "{}: {} ({})",
                place.line.unwrap_or(0),
                why.what(),
                why.advice().unwrap_or("")
            )
        })
        .collect()
}

#[test]
fn the_default_theme_has_a_style_for_every_role_and_no_built_in_theme_has_problems() {
    let (file, text) = built_in(ROOT).unwrap();
    let (theme, wrong) = parse(&file, text);
    assert!(wrong.is_empty());
    for role in Role::ALL {
        assert!(
            theme.roles.iter().any(|(named, _)| named == role),
            "{}",
            role.word()
        );
    }
    for (name, _) in BUILT_IN {
        assert_eq!(
            Theme::problems(name, &ThemeFolders::built_in()).len(),
            0,
            "{name}"
        );
    }
}

/// (role of the text, role of the background, colour of the text, colour of the background) for each text on each
/// background. Pairs are left out if the theme does not set both colours.
fn pairs(theme: &Theme) -> Vec<(Role, Role, Color, Color)> {
    const NOT_TEXT: [Role; 5] = [
        Role::Border,
        Role::Scrollbar,
        Role::BarRest,
        Role::Bar,
        Role::BorderFocused,
    ];
    const BACKGROUNDS: [Role; 6] = [
        Role::Text,
        Role::Header,
        Role::Popup,
        Role::CursorLine,
        Role::DiffAdded,
        Role::DiffRemoved,
    ];
    let plain = theme.style(Role::Text);
    let mut pairs = Vec::new();
    for role in Role::ALL
        .iter()
        .copied()
        .filter(|role| !NOT_TEXT.contains(role))
    {
        for background in BACKGROUNDS {
            let style = plain
                .patch(theme.style(background))
                .patch(theme.style(role));
            if let (Some(fg), Some(bg)) = (style.fg, style.bg) {
                pairs.push((role, background, fg, bg));
            }
        }
    }
    pairs
}

#[test]
fn text_has_enough_contrast_on_every_background() {
    let mut faint = Vec::new();
    for (name, least) in RGB_THEMES {
        for depth in [ColourDepth::True, ColourDepth::Indexed] {
            let pairs = pairs(&load(name, depth));
            assert!(pairs.len() > 200, "{name}");
            // With 256 colours, the nearest colour can differ much from the colour in the theme. So the minimum is 3,
            // which WCAG requires for graphics.
            let wanted = if depth == ColourDepth::True {
                least
            } else {
                3.0
            };
            for (role, background, fg, bg) in pairs {
                let (Some(a), Some(b)) = (rgb_of(fg), rgb_of(bg)) else {
                    panic!("{name} leaves {} to the terminal", role.word());
                };
                let ratio = contrast(a, b);
                if ratio < wanted {
                    let (role, background) = (role.word(), background.word());
                    faint.push(format!(
                        "{name} {depth:?}: {role} on {background}: {ratio:.2}"
                    ));
                }
            }
        }
    }
    assert!(faint.is_empty(), "{}", faint.join("\n"));
}

/// (name, minimum contrast ratio) of the themes with 24-bit colours. WCAG 2.2 requires 4.5 for level AA and 7 for level
/// AAA.
const RGB_THEMES: [(&str, f64); 5] = [
    ("dark", 4.5),
    ("light", 4.5),
    ("colour-blind-dark", 4.5),
    ("colour-blind-light", 4.5),
    ("high-contrast", 7.0),
];

#[test]
fn the_selection_stays_visible_at_every_colour_depth() {
    use ColourDepth::{Ansi8, Ansi16, Indexed, None, True};
    for (name, _) in BUILT_IN {
        for depth in [None, Ansi8, Ansi16, Indexed, True] {
            let theme = load(name, depth);
            let plain = theme.style(Role::Text);
            for role in [Role::Selection, Role::SearchCurrent, Role::SelectionQuiet] {
                let shown = plain.patch(theme.style(role));
                assert_ne!(shown, plain, "{name} {depth:?} {}", role.word());
            }
            let chosen = plain.patch(theme.style(Role::Selection));
            let other_background = chosen.bg != plain.bg && chosen.bg != Some(Color::Reset);
            assert!(
                other_background || chosen.add_modifier.contains(Modifier::REVERSED),
                "{name} {depth:?}: {chosen:?}"
            );
        }
    }
}

#[test]
fn without_colours_no_style_has_a_colour_and_important_styles_still_differ() {
    for (name, _) in BUILT_IN {
        let theme = load(name, ColourDepth::None);
        assert_eq!(theme.name(), name);
        for role in Role::ALL {
            let style = theme.style(*role);
            assert_eq!((style.fg, style.bg), (None, None), "{name} {}", role.word());
        }
        assert_ne!(theme.style(Role::DiffAdded), theme.style(Role::DiffRemoved));
        assert_ne!(theme.style(Role::BorderFocused), theme.style(Role::Border));
    }
}

#[test]
fn each_problem_is_reported_with_its_line_and_a_suggestion() {
    let found = problems(
        "inherit = \"dark\"\n\
         background = \"drak\"\n\
         [palette]\n\
         ink = \"#12345\"\n\
         sea = [\"#012\", \"bleu\"]\n\
         red = \"#f00\"\n\
         [roles]\n\
         titel = \"red\"\n\
         title = { fg = \"red\", modifiers = [\"blod\"], background = \"red\" }\n\
         dim = 300\n",
    );
    insta::assert_snapshot!(found.join("\n"), @r##"
    1: no key 'inherit' in a theme (did you mean 'inherits'?)
    2: no background 'drak' (did you mean 'dark'?)
    4: no colour '#12345' (write a colour: "#rrggbb", "terminal", an ANSI name such as "red", or 0 to 255)
    5: no colour 'bleu' (did you mean 'blue'?)
    6: 'red' is a colour's own name (give the palette entry another name)
    8: no role 'titel' (did you mean 'title'?)
    9: no key 'background' in a role (use one of fg, bg, modifiers)
    9: no modifier 'blod' (did you mean 'bold'?)
    10: no colour '300' (write a colour: "#rrggbb", "terminal", an ANSI name such as "red", or 0 to 255)
    "##);
}

#[test]
fn an_unknown_palette_entry_or_theme_is_reported_with_its_line_and_a_suggestion() {
    let text = "[palette]\nsea = \"#046\"\n[roles]\ntitle = \"se\"\ndim = \"cyna\"\n";
    insta::assert_snapshot!(problems(text).join("\n"), @r"
    4: no colour or palette entry 'se' (did you mean 'sea'?)
    5: no colour or palette entry 'cyna' (did you mean 'cyan'?)
    ");
    let inherits = problems("\ninherits = \"drak\"\n").join("\n");
    insta::assert_snapshot!(inherits, @"2: no theme 'drak' (did you mean 'dark'?)");
    let broken = problems("[roles\ntext = 1").join("\n");
    insta::assert_snapshot!(broken, @r#"
    1: not valid TOML: the name of the table does not end with ] (write it as TOML: key = "value")
    2: no key 'text' in a theme (use one of description, inherits, background, palette, roles)
    "#);
    let why = Theme::load("lihgt", &ThemeFolders::built_in(), ColourDepth::True).unwrap_err();
    assert_eq!(why.advice(), Some("did you mean 'light'?"));
}

#[test]
fn a_users_theme_replaces_a_built_in_theme_and_can_inherit_it() {
    let config = tempfile::tempdir().unwrap();
    let themes = config.path().join("themes");
    fs::create_dir(&themes).unwrap();
    fs::write(
        themes.join("dark.toml"),
        "inherits = \"dark\"\n[palette]\nbad = \"#ff0000\"\n",
    )
    .unwrap();
    fs::write(themes.join("a.toml"), "inherits = \"b\"\n").unwrap();
    fs::write(themes.join("b.toml"), "inherits = \"a\"\n").unwrap();
    let folders = ThemeFolders::of_config(config.path());
    let mine = Theme::load("dark", &folders, ColourDepth::True).unwrap();
    assert_eq!(mine.style(Role::Fail).fg, Some(Color::Rgb(255, 0, 0)));
    assert_eq!(
        mine.style(Role::Pass),
        load("dark", ColourDepth::True).style(Role::Pass)
    );
    let circle = Theme::load("a", &folders, ColourDepth::True).unwrap_err();
    assert!(circle.to_string().contains("circle"), "{circle}");
    let names: Vec<_> = folders.list().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names[7..], ["a", "b"]);
}

proptest::proptest! {
    #[test]
    fn the_reader_does_not_panic_for_any_text(text in "\\PC{0,200}") {
        let _ = parse(Path::new("x.toml"), &text);
    }

    #[test]
    fn the_reader_does_not_panic_for_texts_that_resemble_a_theme(
        key in "(palette|roles|inherits|x)",
        word in "[a-z#0-9-]{0,8}",
        value in "(\"[a-z#0-9]{0,8}\"|[0-9]{1,4}|\\[\\]|\\{\\})",
    ) {
        let _ = parse(Path::new("x.toml"), &format!("[{key}]\n{word} = {value}\n{key} = {value}"));
    }
}
