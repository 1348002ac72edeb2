//! The default build has none of the real engines' crates in it.

use std::process::Command;

#[test]
fn no_engine_is_in_the_default_build() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let tree = |features: &str| {
        let arguments = ["tree", "--locked", "--prefix", "none", "--edges", "normal,build"];
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let run = Command::new(&cargo)
            .args(arguments)
            .args(["--manifest-path", manifest, "--features", features])
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8(run.stdout).unwrap()
    };
    let engines = |tree: &str| {
        let names = tree.lines().filter_map(|line| line.split(' ').next());
        let of_an_engine =
            |name: &&str| ["burn", "candle", "strided"].iter().any(|engine| name.starts_with(engine));
        names.filter(of_an_engine).map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(engines(&tree("")), Vec::<String>::new());
    // The same question finds them where they are.
    assert!(engines(&tree("strided")).contains(&"strided-basic".to_string()));
}
