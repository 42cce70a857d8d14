//! What wit-bindgen makes of the contract in `wit/`.
//!
//! The optional exports are worlds of their own, so that only the component that asks for one has
//! it. They share the types of the first.

wit_bindgen::generate!({
    path: "../../wit",
    world: "tool-component",
    pub_export_macro: true,
    export_macro_name: "export_tools_world",
    default_bindings_module: "toolkit::bindings",
});

/// The world of components with a database.
pub mod migrations {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-migrations",
        pub_export_macro: true,
        export_macro_name: "export_migrations_world",
        default_bindings_module: "toolkit::bindings::migrations",
    });
}

/// The world of components that prepare themselves from their settings.
pub mod configured {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-configured",
        with: { "madoguchi:tool/types@0.1.0": crate::bindings::madoguchi::tool::types },
        pub_export_macro: true,
        export_macro_name: "export_configured_world",
        default_bindings_module: "toolkit::bindings::configured",
    });
}

/// The world of components that do something from time to time.
pub mod schedule {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-schedule",
        pub_export_macro: true,
        export_macro_name: "export_schedule_world",
        default_bindings_module: "toolkit::bindings::schedule",
    });
}

/// The world of components that have work of their own.
pub mod jobs {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-jobs",
        with: { "madoguchi:tool/types@0.1.0": crate::bindings::madoguchi::tool::types },
        pub_export_macro: true,
        export_macro_name: "export_jobs_world",
        default_bindings_module: "toolkit::bindings::jobs",
    });
}

/// The world of components that run assistants.
pub mod runs {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-runs",
        with: {
            "madoguchi:tool/types@0.1.0": crate::bindings::madoguchi::tool::types,
            "madoguchi:tool/tasks@0.1.0": crate::bindings::madoguchi::tool::tasks,
        },
        pub_export_macro: true,
        export_macro_name: "export_runs_world",
        default_bindings_module: "toolkit::bindings::runs",
    });
}

/// The world of components that answer look-ups.
pub mod endpoints {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-endpoints",
        with: { "madoguchi:tool/types@0.1.0": crate::bindings::madoguchi::tool::types },
        pub_export_macro: true,
        export_macro_name: "export_endpoints_world",
        default_bindings_module: "toolkit::bindings::endpoints",
    });
}

/// The world of components that answer requests of any method.
pub mod routes {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-routes",
        with: {
            "madoguchi:tool/types@0.1.0": crate::bindings::madoguchi::tool::types,
            "madoguchi:tool/stops@0.1.0": crate::bindings::resources::madoguchi::tool::stops,
        },
        pub_export_macro: true,
        export_macro_name: "export_routes_world",
        default_bindings_module: "toolkit::bindings::routes",
    });
}

/// The world of components whose data has names that people say.
pub mod names {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-names",
        with: { "madoguchi:tool/types@0.1.0": crate::bindings::madoguchi::tool::types },
        pub_export_macro: true,
        export_macro_name: "export_names_world",
        default_bindings_module: "toolkit::bindings::names",
    });
}

/// The world of components that understand sentences.
pub mod dialogue {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-dialogue",
        with: {
            "madoguchi:tool/types@0.1.0": crate::bindings::madoguchi::tool::types,
            "madoguchi:tool/sentences@0.1.0": crate::bindings::madoguchi::tool::sentences,
        },
        pub_export_macro: true,
        export_macro_name: "export_dialogue_world",
        default_bindings_module: "toolkit::bindings::dialogue",
    });
}

/// The world of components that list what can be written to them.
pub mod samples {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-samples",
        pub_export_macro: true,
        export_macro_name: "export_samples_world",
        default_bindings_module: "toolkit::bindings::samples",
    });
}

/// The world of components that prove themselves.
pub mod examples {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-examples",
        pub_export_macro: true,
        export_macro_name: "export_examples_world",
        default_bindings_module: "toolkit::bindings::examples",
    });
}

/// The world of components that have something to read.
pub mod resources {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-resources",
        with: {
            "madoguchi:tool/types@0.1.0": crate::bindings::madoguchi::tool::types,
        },
        pub_export_macro: true,
        export_macro_name: "export_resources_world",
        default_bindings_module: "toolkit::bindings::resources",
    });
}

/// The world of components that have prompts.
pub mod prompts {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-prompts",
        with: {
            "madoguchi:tool/types@0.1.0": crate::bindings::madoguchi::tool::types,
            "madoguchi:tool/stops@0.1.0": crate::bindings::resources::madoguchi::tool::stops,
        },
        pub_export_macro: true,
        export_macro_name: "export_prompts_world",
        default_bindings_module: "toolkit::bindings::prompts",
    });
}

/// The world of components that help to fill in arguments.
pub mod completions {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-completions",
        with: {
            "madoguchi:tool/types@0.1.0": crate::bindings::madoguchi::tool::types,
            "madoguchi:tool/stops@0.1.0": crate::bindings::resources::madoguchi::tool::stops,
        },
        pub_export_macro: true,
        export_macro_name: "export_completions_world",
        default_bindings_module: "toolkit::bindings::completions",
    });
}
