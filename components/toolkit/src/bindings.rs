//! Bindings that wit-bindgen generates from `wit/`.
//!
//! Each optional export is a world of its own, so that only components that use it export it. They
//! share the types of the first.

wit_bindgen::generate!({
    path: "../../wit",
    world: "tool-component",
    pub_export_macro: true,
    export_macro_name: "export_tools_world",
    default_bindings_module: "toolkit::bindings",
});

/// World of components with a database.
pub mod migrations {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-migrations",
        pub_export_macro: true,
        export_macro_name: "export_migrations_world",
        default_bindings_module: "toolkit::bindings::migrations",
    });
}

/// World of components that validate their settings.
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

/// World of components with scheduled runs.
pub mod schedule {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-schedule",
        pub_export_macro: true,
        export_macro_name: "export_schedule_world",
        default_bindings_module: "toolkit::bindings::schedule",
    });
}

/// World of components with jobs.
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

/// World of components that run assistants.
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

/// World of components with look-ups.
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

/// World of components with routes.
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

/// World of components that declare names of their data.
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

/// World of components that understand sentences.
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

/// World of components with example sentences.
pub mod samples {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-samples",
        pub_export_macro: true,
        export_macro_name: "export_samples_world",
        default_bindings_module: "toolkit::bindings::samples",
    });
}

/// World of components with examples.
pub mod examples {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-examples",
        pub_export_macro: true,
        export_macro_name: "export_examples_world",
        default_bindings_module: "toolkit::bindings::examples",
    });
}

/// World of components with resources.
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

/// World of components with prompts.
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

/// World of components with argument completion.
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
