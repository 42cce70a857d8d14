//! The contract (`wit/`) as Rust sees it from the host's side.
#![allow(missing_docs, reason = "generated; the WIT files have the words")]

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "tool-component",
    imports: {
        "madoguchi:tool/assistants": async | trappable,
        "madoguchi:tool/assistant-calls": async | trappable,
        default: async,
    },
    exports: { default: async },
    require_store_data_send: true,
    with: {
        "madoguchi:tool/assistants.run": crate::handles::Run,
        "madoguchi:tool/assistant-calls.calls": crate::handles::Calls,
        "madoguchi:tool/assistant-calls.tally": crate::handles::Counting,
    },
});

pub mod migrations {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "with-migrations",
        exports: { default: async },
        require_store_data_send: true,
    });
}

pub mod configured {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "with-configured",
        exports: { default: async },
        require_store_data_send: true,
        with: { "madoguchi:tool/types": crate::bindings::madoguchi::tool::types },
    });
}

pub mod schedule {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "with-schedule",
        exports: { default: async },
        require_store_data_send: true,
    });
}

pub mod jobs {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "with-jobs",
        exports: { default: async },
        require_store_data_send: true,
        with: { "madoguchi:tool/types": crate::bindings::madoguchi::tool::types },
    });
}

pub mod endpoints {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "with-endpoints",
        exports: { default: async },
        require_store_data_send: true,
        with: { "madoguchi:tool/types": crate::bindings::madoguchi::tool::types },
    });
}

pub mod routes {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "with-routes",
        exports: { default: async },
        require_store_data_send: true,
        with: {
            "madoguchi:tool/types": crate::bindings::madoguchi::tool::types,
            "madoguchi:tool/stops": crate::bindings::resources::madoguchi::tool::stops,
        },
    });
}

pub mod runs {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "with-runs",
        exports: { default: async },
        require_store_data_send: true,
        with: {
            "madoguchi:tool/types": crate::bindings::madoguchi::tool::types,
            "madoguchi:tool/tasks": crate::bindings::madoguchi::tool::tasks,
        },
    });
}

pub mod names {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "with-names",
        exports: { default: async },
        require_store_data_send: true,
        with: { "madoguchi:tool/types": crate::bindings::madoguchi::tool::types },
    });
}

pub mod samples {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "with-samples",
        exports: { default: async },
        require_store_data_send: true,
    });
}

pub mod dialogue {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "with-dialogue",
        exports: { default: async },
        require_store_data_send: true,
        with: {
            "madoguchi:tool/types": crate::bindings::madoguchi::tool::types,
            "madoguchi:tool/sentences": crate::bindings::madoguchi::tool::sentences,
        },
    });
}

pub mod examples {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "with-examples",
        exports: { default: async },
        require_store_data_send: true,
    });
}

pub mod resources {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "with-resources",
        exports: { default: async },
        require_store_data_send: true,
        with: {
            "madoguchi:tool/types": crate::bindings::madoguchi::tool::types,
        },
    });
}

pub mod prompts {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "with-prompts",
        exports: { default: async },
        require_store_data_send: true,
        with: {
            "madoguchi:tool/types": crate::bindings::madoguchi::tool::types,
            "madoguchi:tool/stops": crate::bindings::resources::madoguchi::tool::stops,
        },
    });
}

pub mod completions {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "with-completions",
        exports: { default: async },
        require_store_data_send: true,
        with: {
            "madoguchi:tool/types": crate::bindings::madoguchi::tool::types,
            "madoguchi:tool/stops": crate::bindings::resources::madoguchi::tool::stops,
        },
    });
}
