//! What a configuration may say, and how it is told off.

use super::*;

const NO_ARGUMENTS: ServeArguments = ServeArguments {
    listen: None,
    config: None,
    cache: None,
    allow_development_parameters: false,
    grace_period_s: None,
};

fn surroundings(cache: Option<&str>) -> Surroundings {
    Surroundings {
        cache: cache.map(PathBuf::from),
        param_cache: DEFAULT_PARAM_CACHE.into(),
    }
}

fn resolve(text: &str, arguments: &ServeArguments) -> Config {
    let file = parse(Path::new("cuzk.toml"), text).unwrap();
    Config::resolve(file, arguments, &surroundings(Some("/home/u/.cache/cuzk"))).unwrap()
}

#[track_caller]
fn refused(text: &str, expected: &[&str]) {
    let message = parse(Path::new("cuzk.toml"), text).unwrap_err().to_string();
    for part in expected {
        assert!(message.contains(part), "{part:?} is missing in: {message}");
    }
}

#[test]
fn an_empty_file_gives_the_documented_defaults() {
    let config = resolve("", &NO_ARGUMENTS);
    assert_eq!(config.listen, DEFAULT_LISTEN.parse().unwrap());
    assert_eq!(config.grace_period, Duration::from_secs(300));
    assert_eq!(config.cache, Path::new("/home/u/.cache/cuzk"));
    assert_eq!(config.param_cache, Path::new("/var/tmp/filecoin-proof-parameters"));
    assert_eq!(config.policy, TrustPolicy::ProductionOnly);
    assert_eq!(config.accepted_jobs.get(), 64);
    assert_eq!(config.synthesis_threads, all_threads());
}

#[test]
fn the_command_line_goes_over_the_file() {
    let text = "
        [daemon]
        listen = 'unix:///a'
        grace_period_s = 5
        [srs]
        cache = '/file'
        param_cache = '/published'
        [scheduler]
        accepted_jobs = 3
        [synthesis]
        threads = 7
    ";
    let file_only = resolve(text, &NO_ARGUMENTS);
    assert_eq!(file_only.listen.path(), Path::new("/a"));
    assert_eq!(file_only.param_cache, Path::new("/published"));
    assert_eq!(
        (file_only.accepted_jobs.get(), file_only.synthesis_threads.get()),
        (3, 7)
    );

    let arguments = ServeArguments {
        listen: Some("unix:///b".parse().unwrap()),
        cache: Some("/flag".into()),
        allow_development_parameters: true,
        grace_period_s: Some(1),
        config: None,
    };
    let both = resolve(text, &arguments);
    assert_eq!(
        (both.listen.path(), both.cache.as_path()),
        (Path::new("/b"), Path::new("/flag"))
    );
    assert_eq!(
        (both.grace_period, both.policy),
        (Duration::from_secs(1), TrustPolicy::AllowDevelopment)
    );
}

#[test]
fn mistakes_name_file_key_and_what_is_possible() {
    refused(
        "[daemon]\nlisten_on = 'x'",
        &[
            "cuzk.toml",
            "listen_on",
            "expected `listen` or `grace_period_s`",
            "line 2",
        ],
    );
    refused("[deamon]", &["deamon", "expected one of `daemon`"]);
    refused("[daemon]\ngrace_period_s = 'ten'", &["grace_period_s", "u64"]);
    refused("[scheduler]\naccepted_jobs = 0", &["accepted_jobs", "nonzero"]);
    refused(
        "[daemon]\nlisten = '0.0.0.0:9820'",
        &["listen", "unix:///", "TCP is not served"],
    );
    refused("[srs", &["cuzk.toml", "line 1"]);
}

#[test]
fn addresses_are_absolute_unix_paths_that_the_system_can_take() {
    let path = |bytes: usize| format!("unix:///{}", "x".repeat(bytes - 1));
    assert!(path(107).parse::<ListenAddress>().is_ok());
    let too_long = path(108).parse::<ListenAddress>().unwrap_err();
    assert!(matches!(
        too_long,
        AddressError::TooLong {
            actual: 108,
            limit: 107,
            ..
        }
    ));
    for text in ["", "unix:", "unix://relative", "/tmp/s", "tcp://127.0.0.1:1"] {
        assert!(
            matches!(text.parse::<ListenAddress>(), Err(AddressError::Scheme { .. })),
            "{text:?}"
        );
    }
    assert!(matches!(
        "unix:///tmp/".parse::<ListenAddress>(),
        Err(AddressError::NoFile { .. })
    ));
}

#[test]
fn without_a_home_the_cache_must_be_given() {
    let error = Config::resolve(File::default(), &NO_ARGUMENTS, &surroundings(None)).unwrap_err();
    assert!(error.to_string().contains("--cache"), "{error}");
}
