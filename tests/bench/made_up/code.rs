//! A made-up Python project of any size. The modules import each other, and use each other's classes and functions.

use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Classes per module.
const CLASSES: usize = 8;

/// Writes `files` modules of about 10 kB each into `folder`, 20 per package.
pub fn write_project(folder: &Path, files: usize) {
    for at in 0..files {
        let package = folder.join(format!("made/part{}", at / 20));
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("__init__.py"), "from .module0 import Class0\n").unwrap();
        fs::write(package.join(format!("module{}.py", at % 20)), module(at)).unwrap();
    }
    fs::write(folder.join("made/__init__.py"), "").unwrap();
}

fn module(at: usize) -> String {
    let mut text = String::from(
        "import os\nfrom collections import defaultdict\nfrom typing import Optional\n\n",
    );
    let before = (at % 20).saturating_sub(1);
    let other = (at / 20).saturating_sub(1);
    if at.is_multiple_of(20) {
        text.push_str("Near = object\n\n\ndef function0(value):\n    return value\n\n");
    } else {
        writeln!(
            text,
            "from .module{before} import Class0 as Near, function0"
        )
        .unwrap();
    }
    if at >= 20 {
        writeln!(
            text,
            "from made.part{other} import module1 as far, Class0 as Far"
        )
        .unwrap();
    } else {
        text.push_str("import os as far\nFar = dict\n");
    }
    text.push_str("\nLIMIT = 10\n_cache = {}\n\n");
    for class in 0..CLASSES {
        write_class(&mut text, class);
    }
    text
}

fn write_class(text: &mut String, class: usize) {
    let base = match class {
        0 => "Near".to_owned(),
        class => format!("Class{}", class - 1),
    };
    write!(
        text,
        "
class Class{class}({base}):
    '''A class of the made-up project, with attributes, properties and factories.'''

    default = LIMIT

    def __init__(self, name, items=None, parent: Optional['Class0'] = None):
        self.name{class} = name
        self.items{class} = list(items or [])
        self.parent = parent
        self.index = defaultdict(list)

    @property
    def size{class}(self):
        return len(self.items{class}) + self.default

    @classmethod
    def build{class}(cls, text, *parts):
        made = cls(text.strip(), items=[part for part in parts if part])
        made.index[text].append(made)
        return made

    def find{class}(self, key, default=None):
        '''Finds the value of a key, or asks the parent.'''
        try:
            found = self.index[key]
        except KeyError:
            found = None
        if found is None and self.parent is not None:
            return self.parent.find0(key, default)
        for item in self.items{class}:
            if isinstance(item, Class{class}) and item.name{class} == key:
                return item.size{class} + function0(LIMIT)
        with open(os.path.join('a', key)) as handle:
            _cache[key] = handle.read()
        return _cache.get(key, default)

    def walk{class}(self, depth=0):
        other = Class{class}.build{class}('x' * depth, self, Far)
        for item in sorted(self.items{class}, key=lambda item: item.name{class}):
            yield depth, item, other.find{class}(str(item))
        far.path
"
    )
    .unwrap();
}
