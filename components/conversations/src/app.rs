//! A conversation as an app that other programs show (APP-4).

use toolkit::{Text, apps::App};

/// A conversation to follow, to write into, to hold up and to end.
pub const CONVERSATION: App = App {
    uri: "ui://conversations/conversation",
    name: "conversation_app",
    title: Text { ja: "会話", en: "Conversation" },
    style: include_str!("../app/conversation.css"),
    script: &[include_str!("../app/conversation.js")],
};
