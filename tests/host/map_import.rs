//! `madoguchi import-map`: an extract becomes a map and the lines that grant it; failures.

use std::{fs, path::Path, process::Output};

use graph::Graph;
use tests::{
    component,
    maps::helsinki_extract,
    process::{command, output},
    server::Folders,
};

fn import(folders: &Folders, arguments: &[&Path]) -> Output {
    output(command(folders).arg("import-map").args(arguments))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What is left in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn turns_extract_into_map_and_prints_correct_granting_lines() {
    let (folders, folder) = (Folders::new(), tempfile::tempdir().unwrap());
    let map = folder.path().join("helsinki.map");
    let done = import(&folders, &[&helsinki_extract(), "--output".as_ref(), &map]);
    let (message, steps) = (text(&done.stdout), text(&done.stderr));
    assert!(done.status.success(), "{steps}");
    let bytes = fs::read(&map).unwrap();
    let graph = Graph::open(&bytes[..]).unwrap();
    assert!(!graph.places().named("Mannerheimintie", 1).unwrap().is_empty());
    assert_eq!(names(folder.path()), ["helsinki.map"], "nothing is left beside it");
    for word in ["km", "places", "OpenStreetMap", "ODbL", &format!("{} bytes", bytes.len())] {
        assert!(message.contains(word), "{word}: {message}");
    }
    for step in ["reading roads (2 of 3)", "joining roads", "writing the map"] {
        assert!(steps.contains(step), "no terminal, so plain lines: {steps}");
    }
    assert!(!steps.contains('\u{1b}'), "{steps:?}");
    let lines: Vec<&str> = message
        .lines()
        .skip_while(|it| !it.starts_with('['))
        .take_while(|it| !it.is_empty())
        .collect();
    let configuration = folder.path().join("madoguchi.toml");
    fs::write(&configuration, lines.join("\n")).unwrap();
    let checked = output(command(&folders).arg("check-config").arg(&configuration));
    assert!(checked.status.success(), "{lines:?}: {}", text(&checked.stderr));
    let mut run = command(&folders);
    run.arg("--config").arg(&configuration).arg("run").arg(component("navigation"));
    let found = output(run.args(["geocode", "{\"address\": \"Mannerheimintie\"}"]));
    assert!(text(&found.stdout).contains("60.1"), "with these lines it is read: {found:?}");
}

#[test]
fn existing_map_is_replaced_whole_or_left_unchanged() {
    let (folders, folder) = (Folders::new(), tempfile::tempdir().unwrap());
    let map = folder.path().join("a map.map");
    let made = import(&folders, &[&helsinki_extract(), "--output".as_ref(), &map]);
    assert!(made.status.success(), "{made:?}");
    let first = fs::read(&map).unwrap();
    let extract = fs::read(helsinki_extract()).unwrap();
    let cut = folder.path().join("cut.osm.pbf");
    fs::write(&cut, &extract[..extract.len() / 2]).unwrap();
    let refused = import(&folders, &[&cut, "--output".as_ref(), &map]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("fetch it again"), "{refused:?}");
    assert!(refused.stdout.is_empty());
    assert_eq!(fs::read(&map).unwrap(), first, "it stays");
    assert_eq!(names(folder.path()), ["a map.map", "cut.osm.pbf"]);
    let again = import(&folders, &[&helsinki_extract(), "--output".as_ref(), &map]);
    assert!(again.status.success(), "a map is replaced: {again:?}");
    assert_eq!(fs::read(&map).unwrap(), first, "the same extract gives the same map");
    // One of an older version is reported as one to be made again, and is replaced.
    let mut old = first.clone();
    old[8] = 1;
    fs::write(&map, &old).unwrap();
    let text = format!("{:?}", Graph::open(&old[..]).err());
    assert!(text.contains("version 1") && text.contains("import-map"), "{text}");
    let again = import(&folders, &[&helsinki_extract(), "--output".as_ref(), &map]);
    assert!(again.status.success() && fs::read(&map).unwrap() == first, "{again:?}");
}

#[test]
fn import_never_overwrites_a_file_that_is_no_map() {
    let (folders, folder) = (Folders::new(), tempfile::tempdir().unwrap());
    let extract = folder.path().join("here.osm.pbf");
    fs::copy(helsinki_extract(), &extract).unwrap();
    let before = fs::read(&extract).unwrap();
    let onto_itself = import(&folders, &[&extract, "--output".as_ref(), &extract]);
    assert_eq!(onto_itself.status.code(), Some(1));
    assert!(text(&onto_itself.stderr).contains("is no map"), "{onto_itself:?}");
    assert_eq!(fs::read(&extract).unwrap(), before);
    let into_folder = import(&folders, &[&extract, "--output".as_ref(), folder.path()]);
    assert!(text(&into_folder.stderr).contains("is a folder"), "{into_folder:?}");
    let nowhere = folder.path().join("no/such/folder/a.map");
    let nowhere = import(&folders, &[&extract, "--output".as_ref(), &nowhere]);
    assert!(text(&nowhere.stderr).contains("cannot write"), "{nowhere:?}");
    assert_eq!(names(folder.path()), ["here.osm.pbf"]);
}

#[test]
fn reports_bad_extract_in_one_line_and_needs_no_configuration() {
    let (folders, folder) = (Folders::new(), tempfile::tempdir().unwrap());
    let broken = folder.path().join("broken.toml");
    fs::write(&broken, "adr = 1").unwrap();
    let text_file = folder.path().join("text.osm.pbf");
    fs::write(&text_file, "<osm version=\"0.6\"></osm>").unwrap();
    let cases = [
        (folder.path().join("none.osm.pbf"), "there is no such file"),
        (text_file, "no OpenStreetMap extract"),
        (folder.path().to_owned(), "is no file"),
    ];
    for (file, wanted) in cases {
        let mut import = command(&folders);
        import.current_dir(folder.path()).arg("--config").arg(&broken).arg("import-map").arg(&file);
        let refused = output(&mut import);
        let text = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{text}");
        assert!(text.contains(wanted) && text.contains(&*file.display().to_string()), "{text}");
        assert!(!text.contains("adr"), "{text}");
    }
    assert_eq!(names(folder.path()), ["broken.toml", "text.osm.pbf"]);
}
