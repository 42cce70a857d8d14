//! The HTML pages of the authorization server, in two languages. Only passkeys need script (AUTH-9).

use axum::response::{IntoResponse, Response};
use base::{
    language::{Language, accepted},
    scopes::Scope,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde_json::Value;
use store::clock::rfc3339;

use crate::{
    clients::{PAGE, host_of, is_document, is_own_machine},
    scopes::{Offer, sentence},
    secret::PASSWORD_CHARS_MIN,
    state::{Account, Client, Passkey},
};

/// The parameter by which a page is asked for in a language (OpenID Connect Core, 3.1.2.1).
pub(crate) const LANGUAGE: &str = "ui_locales";

/// Content security policy of forms: they are sent to this origin only.
const FORM_ACTION_SELF: &str = "form-action 'self'; ";
/// Policy of the consent form: none. Chrome and Safari would apply it to every redirect after the form, including
/// those from a client's web page to its program.
const FORM_OF_CONSENT: &str = "";

/// Everything needed to render a page.
#[derive(Clone)]
pub(crate) struct Reader {
    pub(crate) language: Language,
    /// Path prefix of the server.
    pub(crate) prefix: String,
    /// The page's address without its language, where it can be asked for once more.
    pub(crate) here: Option<String>,
    /// Whether passkeys can be used at this address.
    pub(crate) has_passkeys: bool,
}

impl Reader {
    /// Reads language and theme from a request.
    pub(crate) fn from_request(
        headers: &HeaderMap,
        query: &str,
        prefix: &str,
        has_passkeys: bool,
    ) -> Self {
        let header = headers.get(header::ACCEPT_LANGUAGE).and_then(|it| it.to_str().ok());
        let chosen = url::form_urlencoded::parse(query.as_bytes()).find(|it| it.0 == LANGUAGE);
        let locale = chosen.map(|it| it.1.into_owned());
        let locale = locale.or_else(|| header.and_then(accepted).map(str::to_owned));
        let language = Language::detect(Some(locale.as_deref().unwrap_or("en")), "");
        Self { language, prefix: prefix.to_owned(), here: None, has_passkeys }
    }

    pub(crate) fn at(self, path: &str, query: &str) -> Self {
        let kept = query.split('&').filter(|it| !it.is_empty());
        let kept = kept.filter(|it| !it.starts_with("ui_locales="));
        let query: String = kept.map(|it| format!("{it}&")).collect();
        Self { here: Some(format!("{path}?{query}")), ..self }
    }

    fn t(&self, japanese: &'static str, english: &'static str) -> &'static str {
        self.language.pick(japanese, english)
    }

    /// A page with that title and body.
    fn page(&self, status: StatusCode, title: &str, body: &str, forms: &str) -> Response {
        let (tag, prefix) = (self.language.tag(), &self.prefix);
        let other = self.language.pick(("en", "English"), ("ja", "日本語"));
        let switch = self.here.as_ref().map(|here| {
            let to = escaped(&format!("{prefix}{here}{LANGUAGE}={}", other.0));
            format!(
                "<a href=\"{to}\" lang=\"{}\" hreflang=\"{}\">{}</a>",
                other.0, other.0, other.1
            )
        });
        let switch = switch.unwrap_or_default();
        let html = format!(
            "<!doctype html>\n<html lang=\"{tag}\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <title>{title} — Madoguchi</title><link rel=\"stylesheet\" href=\"{prefix}/account/style.css\">\
             <script src=\"{prefix}/account/passkey.js\" type=\"module\"></script></head>\
             <body><header><span>Madoguchi 窓口</span>{switch}</header><main><h1>{title}</h1>{body}</main></body></html>",
            title = escaped(title),
        );
        let policy = format!(
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; {forms}base-uri 'none'; frame-ancestors 'none'"
        );
        let mut response = (status, html).into_response();
        let headers = response.headers_mut();
        for (name, value) in [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CONTENT_SECURITY_POLICY, &*policy),
            (header::X_FRAME_OPTIONS, "DENY"),
            (header::CACHE_CONTROL, "no-store"),
            // Not to other places; and not none, for a form without an origin would be refused.
            (header::REFERRER_POLICY, "same-origin"),
            (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        ] {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        }
        response
    }

    /// Renders an error page.
    pub(crate) fn failed(&self, status: StatusCode, code: &str, what: &str) -> Response {
        let title = self.t("この依頼には応じられません", "This request cannot be answered");
        let why = match code {
            "" => String::new(),
            code => format!("<p><code>{}</code></p>", escaped(code)),
        };
        let more = match code {
            "" => "",
            _ => self.t(
                "接続しようとしたプログラムの側に誤りがあります。何も許可されていません。",
                "The program that wanted to connect has made a mistake. Nothing was allowed.",
            ),
        };
        let body = format!("{why}<p>{}</p><p>{more}</p>", escaped(what));
        self.page(status, title, &body, FORM_ACTION_SELF)
    }

    pub(crate) fn too_often(&self, wait_s: u64) -> Response {
        let what = self.language.pick(
            format!("試行回数が多すぎます。{wait_s} 秒後にもう一度お試しください。"),
            format!("There were too many attempts. Try again in {wait_s} seconds."),
        );
        let mut response = self.failed(StatusCode::TOO_MANY_REQUESTS, "", &what);
        response.headers_mut().insert(header::RETRY_AFTER, wait_s.into());
        response
    }

    fn passkey_button(
        &self,
        label: &str,
        (begin, end, next): (&str, &str, &str),
        link: Option<&str>,
    ) -> String {
        if !self.has_passkeys {
            return String::new();
        }
        let (prefix, link) =
            (&self.prefix, link.map(|it| format!(" data-link=\"{}\"", escaped(it))));
        let failed = self.t(
            "パスキーを使えませんでした。もう一度試すか、パスワードを使ってください。",
            "The passkey could not be used. Try again, or use a password.",
        );
        format!(
            "<div class=\"row\"><button type=\"button\" class=\"first\" id=\"passkey\" hidden data-begin=\"{prefix}{begin}\" data-end=\"{prefix}{end}\" data-next=\"{}\"{}>{label}</button></div>\
             <p id=\"passkey-failed\" class=\"bad\" role=\"alert\" hidden>{failed}</p>",
            escaped(&format!("{prefix}{next}")),
            link.unwrap_or_default(),
        )
    }

    /// The page on which people sign in, and go on to `next`.
    pub(crate) fn sign_in(&self, next: &str, is_wrong: bool) -> Response {
        let wrong =
            self.t("名前かパスワードが違います。", "The name or the password is not right.");
        let wrong = alert(is_wrong, wrong);
        let passkey = self.passkey_button(
            self.t("パスキーでサインイン", "Sign in with a passkey"),
            ("/account/passkey/begin", "/account/passkey/sign-in", next),
            None,
        );
        let body = format!(
            "{wrong}{passkey}<form method=\"post\" action=\"{}/account/sign-in{}\"><input type=\"hidden\" name=\"next\" value=\"{}\">\
             <label for=\"name\">{}</label><input type=\"text\" id=\"name\" name=\"name\" autocomplete=\"username\" autocapitalize=\"none\" required maxlength=\"64\">\
             <label for=\"password\">{}</label><input type=\"password\" id=\"password\" name=\"password\" autocomplete=\"current-password\" required>\
             <div class=\"row\"><button>{}</button></div></form><p>{}</p>",
            self.prefix,
            self.language_query(),
            escaped(next),
            self.t("名前", "Name"),
            self.t("パスワード", "Password"),
            self.t("パスワードでサインイン", "Sign in with the password"),
            self.t(
                "アカウントは、このサーバーの管理者が作ります。サインインできないときは、新しいリンクを管理者に頼んでください。",
                "The operator of this server makes accounts. If you cannot sign in, ask them for a new link.",
            ),
        );
        let status = if is_wrong { StatusCode::FORBIDDEN } else { StatusCode::OK };
        self.page(status, self.t("サインイン", "Sign in"), &body, FORM_ACTION_SELF)
    }

    fn language_query(&self) -> String {
        format!("?{LANGUAGE}={}", self.language.tag())
    }

    /// The page behind a link: how its person signs in from now on.
    pub(crate) fn link(&self, account: &Account, link: &str, is_wrong: bool) -> Response {
        let name = &account.name;
        let anew = match account.link.as_ref().is_some_and(|it| it.is_anew) {
            true => self.t(
                "使うと、これまでのパスキーとパスワード、許可したプログラムはすべて取り消されます。",
                "Using it takes back all passkeys, the password and everything that was let in before.",
            ),
            false => "",
        };
        let title = self.language.pick(
            format!("{name} さん、サインインの方法を選んでください"),
            format!("{name}, choose how to sign in"),
        );
        let passkey = self.passkey_button(
            self.t("パスキーを作る", "Make a passkey"),
            ("/account/passkey/begin", "/account/passkey/register", "/account"),
            Some(link),
        );
        let hint = self.language.pick(
            format!("{PASSWORD_CHARS_MIN} 文字以上。同じものを 2 回入力してください。"),
            format!("At least {PASSWORD_CHARS_MIN} characters; the same in both fields."),
        );
        let wrong = if is_wrong { " class=\"bad\" role=\"alert\"" } else { "" };
        let body = format!(
            "<p>{} {anew}</p>{passkey}<form method=\"post\" action=\"{}\"><h2>{}</h2><p id=\"hint\"{wrong}>{hint}</p>\
             <input type=\"hidden\" name=\"username\" autocomplete=\"username\" value=\"{}\">\
             <label for=\"password\">{}</label><input type=\"password\" id=\"password\" name=\"password\" autocomplete=\"new-password\" aria-describedby=\"hint\" required minlength=\"{PASSWORD_CHARS_MIN}\">\
             <label for=\"again\">{}</label><input type=\"password\" id=\"again\" name=\"again\" autocomplete=\"new-password\" required>\
             <div class=\"row\"><button>{}</button></div></form>",
            self.t("このリンクは一度だけ使えます。", "This link works once."),
            escaped(&format!("{}/account/link/{link}{}", self.prefix, self.language_query())),
            self.t("または、パスワードを決める", "Or choose a password"),
            escaped(name),
            self.t("パスワード", "Password"),
            self.t("もう一度", "Once more"),
            self.t("このパスワードにする", "Use this password"),
        );
        let status = if is_wrong { StatusCode::BAD_REQUEST } else { StatusCode::OK };
        self.page(status, &title, &body, FORM_ACTION_SELF)
    }

    /// Renders the consent page. `form` is the request and the tag of its form.
    pub(crate) fn consent(
        &self,
        (client, redirect_uri): (&Client, &str),
        (name, offer): (&str, &Offer),
        (request, tag): (&str, &str),
        is_empty: bool,
    ) -> Response {
        let shown = escaped(&client.name);
        let title = self.language.pick(
            format!("「{}」に何を許可しますか？", client.name),
            format!("What may “{}” do?", client.name),
        );
        let from = if client.id == PAGE {
            self.language.pick(
                format!("<strong>{shown}</strong> はこのサーバー自身の画面です。"),
                format!("<strong>{shown}</strong> is this server's own page."),
            )
        } else if is_document(&client.id) {
            let host = escaped(&host_of(&client.id));
            self.language.pick(
                format!("<strong>{shown}</strong> の説明は <strong>{host}</strong> で公開されているものと確かめました。"),
                format!("<strong>{shown}</strong> is verified to be described at <strong>{host}</strong>."),
            )
        } else {
            self.language.pick(
                format!("<strong>{shown}</strong> は自分でそう名乗っているだけで、確かめられていません。"),
                format!("<strong>{shown}</strong> is what this client calls itself. Nothing verifies that."),
            )
        };
        let host = escaped(&host_of(redirect_uri));
        let back = match is_own_machine(redirect_uri) {
            true => self.language.pick(
                format!("このあと、お使いのコンピューターで動くプログラム（{host}）に戻ります。自分で始めた接続でなければ、許可しないでください。"),
                format!("Afterwards you return to a program on your own computer ({host}). Allow nothing unless you have just begun to connect it yourself."),
            ),
            false => self.language.pick(
                format!("このあと、<strong>{host}</strong> に戻ります。"),
                format!("Afterwards you return to <strong>{host}</strong>."),
            ),
        };
        let item = |scope: &Scope| {
            let warn = if *scope == Scope::Operator { " warn" } else { "" };
            format!(
                "<label class=\"choice{warn}\"><input type=\"checkbox\" name=\"scope\" value=\"{}\" checked><span>{}</span></label>",
                escaped(&scope.to_string()),
                escaped(&sentence(scope, self.language)),
            )
        };
        let items: String = offer.scopes.iter().map(item).collect();
        let narrow = if offer.is_read_only {
            format!(
                "<p>{}</p>",
                self.t("見るだけで、何も変えられません。", "It may only look, and change nothing.")
            )
        } else if offer.scopes == [Scope::ReadOnly] {
            String::new()
        } else {
            format!(
                "<hr><label class=\"choice\"><input type=\"checkbox\" name=\"narrow\" value=\"read-only\"><span>{}</span></label>",
                self.t("見るだけにして、何も変えさせない", "Only let it look, and change nothing"),
            )
        };
        let empty = self.t(
            "少なくとも一つ選ぶか、許可しないでください。",
            "Choose at least one, or allow nothing.",
        );
        let empty = alert(is_empty, empty);
        let body = format!(
            "<div class=\"card\"><p>{from}</p><p>{back}</p></div>{empty}\
             <form method=\"post\" action=\"{prefix}/oauth/authorize\"><input type=\"hidden\" name=\"request\" value=\"{}\"><input type=\"hidden\" name=\"tag\" value=\"{tag}\">\
             <fieldset><legend>{}</legend>{items}{narrow}</fieldset>\
             <div class=\"row\"><button name=\"decision\" value=\"deny\">{}</button><button class=\"first\" name=\"decision\" value=\"allow\">{}</button></div></form>\
             <p>{}</p><p>{} <a href=\"{prefix}/account{}\">{}</a></p>",
            escaped(request),
            self.t("あなたの代わりにできること", "In your name it could"),
            self.t("許可しない", "Allow nothing"),
            self.t("許可する", "Allow"),
            self.language.pick(
                format!("<strong>{}</strong> さんとしてサインインしています。", escaped(name)),
                format!("You are signed in as <strong>{}</strong>.", escaped(name)),
            ),
            self.t("許可はいつでも取り消せます：", "You can take this back at any time:"),
            self.language_query(),
            self.t("あなたのアカウント", "your account"),
            prefix = self.prefix,
        );
        let status = if is_empty { StatusCode::BAD_REQUEST } else { StatusCode::OK };
        self.page(status, &title, &body, FORM_OF_CONSENT)
    }

    /// Explains why the last passkey cannot be removed.
    pub(crate) fn last_way_in(&self) -> &'static str {
        self.t(
            "このパスキーのほかにサインインする方法がないため、取り消せません。先に、新しいリンクを管理者に頼んでください。",
            "There is no other way to sign in than this passkey, so it cannot be taken back. Ask the operator for a new link first.",
        )
    }

    /// Renders a user's account page: sign-in methods, devices and their scopes.
    pub(crate) fn account(&self, account: &Account, devices: &[Value], tag: &str) -> Response {
        let name = &account.name;
        let text = |it: &Value, name: &str| escaped(it[name].as_str().unwrap_or_default());
        let form = |path: &str, fields: &str, label: &str| {
            format!(
                "<form method=\"post\" action=\"{}{path}{}\"><input type=\"hidden\" name=\"tag\" value=\"{tag}\">{fields}<button>{label}</button></form>",
                self.prefix,
                self.language_query(),
            )
        };
        let device = |grant: &Value| {
            let scopes = grant["scopes"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let scopes = scopes.filter_map(|it| it.parse::<Scope>().ok());
            let scopes: String = scopes
                .map(|it| format!("<li>{}</li>", escaped(&sentence(&it, self.language))))
                .collect();
            let id =
                format!("<input type=\"hidden\" name=\"device\" value=\"{}\">", text(grant, "id"));
            format!(
                "<section class=\"card\"><h2>{}</h2><p>{} {}<br>{} {}<br>{} {}</p><ul>{scopes}</ul>{}</section>",
                text(grant, "client"),
                self.t("戻り先：", "Returns to:"),
                text(grant, "returns_to"),
                self.t("許可した日時：", "Allowed:"),
                self.time(&text(grant, "since")),
                self.t("最後に使われた日時：", "Last used:"),
                self.time(&text(grant, "last_used")),
                form("/account/devices/end", &id, self.t("取り消す", "Take back")),
            )
        };
        let devices: String = devices.iter().map(device).collect();
        let devices = match devices.is_empty() {
            true => format!("<p>{}</p>", self.t("まだありません。", "There are none yet.")),
            false => devices,
        };
        let may_lose = account.may_lose_passkey();
        let passkey = |key: &Passkey| {
            let id =
                format!("<input type=\"hidden\" name=\"passkey\" value=\"{}\">", escaped(&key.id));
            let end = match may_lose {
                true => form("/account/passkeys/end", &id, self.t("取り消す", "Take back")),
                false => format!("<p>{}</p>", self.last_way_in()),
            };
            let (label, made) = (self.t("作成日時：", "Made:"), self.time(&rfc3339(key.created_s)));
            format!("<section class=\"card\"><p>{label} {made}</p>{end}</section>")
        };
        let passkeys: String = account.passkeys.iter().map(passkey).collect();
        let passkeys = match passkeys.is_empty() {
            true => String::new(),
            false => format!("<h2>{}</h2>{passkeys}", self.t("パスキー", "Passkeys")),
        };
        let everywhere = "<input type=\"hidden\" name=\"everywhere\" value=\"yes\">";
        let body = format!(
            "<p>{}</p><h2>{}</h2>{devices}{passkeys}<div class=\"row\">{}{}</div>",
            self.language.pick(
                format!("<strong>{}</strong> さんとしてサインインしています。", escaped(name)),
                format!("You are signed in as <strong>{}</strong>.", escaped(name)),
            ),
            self.t("許可したプログラム", "What you have let in"),
            form("/account/sign-out", "", self.t("サインアウト", "Sign out")),
            form(
                "/account/sign-out",
                everywhere,
                self.t("すべてのブラウザーでサインアウト", "Sign out everywhere")
            ),
        );
        self.page(
            StatusCode::OK,
            self.t("あなたのアカウント", "Your account"),
            &body,
            FORM_ACTION_SELF,
        )
    }
}

impl Reader {
    /// A time of RFC 3339 as people read it.
    fn time(&self, text: &str) -> String {
        let form = self.language.pick("%Y年%-m月%-d日 %H:%M UTC", "%-d %b %Y, %H:%M UTC");
        let time = text.parse::<jiff::Timestamp>();
        let shown = time.map_or_else(|_| text.to_owned(), |it| it.strftime(form).to_string());
        format!("<time datetime=\"{text}\">{shown}</time>")
    }
}

/// Renders an error as an alert, which screen readers announce.
fn alert(is_wrong: bool, what: &str) -> String {
    if is_wrong { format!("<p class=\"bad\" role=\"alert\">{what}</p>") } else { String::new() }
}

/// `text` as it stands in HTML, between tags and between quotes.
fn escaped(text: &str) -> String {
    let marks = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&#39;")];
    marks.iter().fold(text.to_owned(), |text, (mark, name)| text.replace(*mark, name))
}
