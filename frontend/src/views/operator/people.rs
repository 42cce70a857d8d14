//! Callers: accounts with their devices, and the tokens of the configuration.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use serde_json::{Value, json};

use super::TITLE;
use super::report::Report;
use crate::browser;
use crate::dates;
use crate::operator::reports::{Account, Accounts, Link, Token, Tokens};
use crate::operator::{client, units};
use crate::text::{Key, Lang};
use crate::views::notice::{Empty, Sure};

#[component]
pub(super) fn PeopleView() -> impl IntoView {
    let report = Report::<Tokens>::at("tokens");
    report.shown(move |latest| {
        let has_accounts = Memo::new(move |_| latest.with(|it| it.has_accounts));
        view! {
            {move || match has_accounts.get() {
                true => any_view! { <AccountsPart/> },
                false => any_view! { <NoAccounts/> },
            }}
            <TokensPart latest/>
        }
    })
}

#[component]
fn NoAccounts() -> impl IntoView {
    view! { <Empty title=Key::OperatorAccountsOff hint=Key::OperatorAccountsOffHint/> }
}

#[component]
fn TokensPart(latest: Memo<Tokens>) -> impl IntoView {
    let row = move |token: Token| {
        let (expires, has_expired) = (token.expires.clone(), token.expired);
        let until = move || match &expires {
            None => Key::OperatorTokenNever.say().to_owned(),
            Some(at) => {
                let at = dates::moment(at, Lang::spoken());
                if has_expired { Key::OperatorTokenOver.fill(&[&at]) } else { at }
            }
        };
        view! {
            <tr role="row">
                <th role="rowheader" scope="row">{token.name}</th>
                <td role="cell" data-label=Key::OperatorScopes><code>{token.scopes.join(" ")}</code></td>
                <td role="cell" data-label=Key::OperatorToolset>
                    {token.toolset.unwrap_or_else(|| units::NONE.to_owned())}
                </td>
                <td role="cell" class:op-wrong=has_expired data-label=Key::OperatorTokenUntil>{until}</td>
            </tr>
        }
    };
    let tokens = Memo::new(move |_| latest.with(|it| it.tokens.clone()));
    let issuers = Memo::new(move |_| latest.with(|it| it.issuers.clone()));
    view! {
        <section class="op-part" aria-labelledby="op-tokens">
            <h2 id="op-tokens" class="section-title">{Key::OperatorTokens}</h2>
            {move || (!latest.with(|it| it.asks_who_calls)).then(|| view! {
                <p class="op-wrong">{Key::OperatorTokensNone}</p>
            })}
            <p class="hint">{Key::OperatorTokensHint}</p>
            {move || (!tokens.with(Vec::is_empty)).then(|| view! {
                <div class="table-scroll" tabindex="0" role="region"
                    aria-label=Key::OperatorTokens>
                    <table role="table" class="data-table is-cards">
                        <thead role="rowgroup"><tr role="row">
                            <th role="columnheader" scope="col">{Key::Name}</th>
                            <th role="columnheader" scope="col">{Key::OperatorScopes}</th>
                            <th role="columnheader" scope="col">{Key::OperatorToolset}</th>
                            <th role="columnheader" scope="col">{Key::OperatorTokenUntil}</th>
                        </tr></thead>
                        <tbody role="rowgroup">{tokens.get().into_iter().map(row).collect_view()}</tbody>
                    </table>
                </div>
            })}
            {move || (!issuers.with(Vec::is_empty)).then(|| view! {
                <p>{Key::OperatorIssuers}</p>
                <ul class="op-sentences">
                    {issuers.get().into_iter().map(|it| view! { <li><code>{it}</code></li> }).collect_view()}
                </ul>
            })}
        </section>
    }
}

#[component]
fn AccountsPart() -> impl IntoView {
    let report = Report::<Accounts>::at("accounts");
    let link = report.operator.link;
    report.shown(move |latest| {
        let all = Memo::new(move |_| latest.with(|it| it.accounts.clone()));
        let is_none = Memo::new(move |_| all.with(Vec::is_empty));
        let names = Memo::new(move |_| {
            all.with(|it| it.iter().map(|it| it.name.clone()).collect::<Vec<_>>())
        });
        view! {
            <section class="op-part" aria-labelledby="op-accounts">
                <h2 id="op-accounts" class="section-title" tabindex="-1">{Key::OperatorAccounts}</h2>
                {move || link.get().map(|(name, link)| view! {
                    <div class="notice is-calm" role="status">
                        <p class="notice-title">{Key::OperatorLinkFor.fill(&[&name])}</p>
                        <p>{Key::OperatorLinkHint}</p>
                        <pre class="op-command" tabindex="0" id="op-link">{link}</pre>
                    </div>
                })}
                {move || is_none.get().then(|| view! { <Empty title=Key::OperatorAccountsNone/> })}
                <ul class="op-list">
                    <For each=move || names.get() key=Clone::clone let:name>
                        <li><Card report all name/></li>
                    </For>
                </ul>
                <New report/>
            </section>
        }
    })
}

/// Creates and shows a link for an account, then runs `then`.
fn link(
    report: Report<Accounts>,
    name: String,
    (rest, body): (&str, Value),
    then: impl FnOnce() + 'static,
) {
    let path = client::account(&name, rest);
    report.order((Key::OperatorLinkMade, name.clone()), "op-link", async move {
        let link = report.operator.ask::<Link>(&path, &body).await?;
        report.operator.link.set(Some((name, link.link)));
        then();
        browser::focus_soon("op-link");
        Ok(())
    });
}

#[component]
fn New(report: Report<Accounts>) -> impl IntoView {
    let (name, scopes) = (RwSignal::new(String::new()), RwSignal::new("*".to_owned()));
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let wanted = name.get_untracked().trim().to_owned();
        if wanted.is_empty() {
            return browser::focus("op-account-name");
        }
        let scopes = scopes.get_untracked();
        let scopes: Vec<_> = scopes.split([',', ' ', '、']).filter(|it| !it.is_empty()).collect();
        let body = json!({ "scopes": scopes });
        // A refused name stays, to be corrected.
        link(report, wanted, ("", body), move || drop(name.try_set(String::new())));
    };
    view! {
        <form class="op-card" on:submit=submit novalidate aria-labelledby="op-account-new">
            <h3 id="op-account-new">{Key::OperatorAccountNew}</h3>
            <div class="op-canary-fields">
                <div class="field">
                    <label class="label" for="op-account-name">{Key::Name}</label>
                    <input id="op-account-name" type="text" autocomplete="off" autocapitalize="off"
                        spellcheck="false" prop:value=name
                        on:input=move |event| name.set(event_target_value(&event))/>
                </div>
                <div class="field op-canary-callers">
                    <label class="label" for="op-account-scopes">{Key::OperatorScopes}</label>
                    <input id="op-account-scopes" type="text" autocomplete="off" autocapitalize="off"
                        spellcheck="false" aria-describedby="op-account-hint" prop:value=scopes
                        on:input=move |event| scopes.set(event_target_value(&event))/>
                    <p id="op-account-hint" class="hint">{Key::OperatorScopesHint}</p>
                </div>
            </div>
            <div class="actions">
                <button type="submit" aria-disabled=move || report.is_busy.get().to_string()>
                    {Key::OperatorAccountMake}
                </button>
            </div>
        </form>
    }
}

/// An account with its devices.
#[component]
fn Card(report: Report<Accounts>, all: Memo<Vec<Account>>, name: String) -> impl IntoView {
    let is_asking = RwSignal::new(false);
    let own = name.clone();
    // Its last activity changes while it is focused.
    let account = Memo::new(move |_| {
        all.with(|it| it.iter().find(|it| it.name == own).cloned()).unwrap_or_default()
    });
    let name = StoredValue::new(name);
    let id = move |part: &str| name.with_value(|it| format!("op-account-{part}-{it}"));
    let named = move |key: Key| move || name.with_value(|it| key.fill(&[it]));
    let signs_in = move || {
        let (passkeys, has_password) = account.with(|it| (it.passkeys.to_string(), it.password));
        let password = if has_password { Key::OperatorHasPassword.say() } else { "" };
        Key::OperatorSignsIn.fill(&[&passkeys, password])
    };
    let scopes = move || account.with(|it| it.scopes.join(" "));
    let relink = move |_| link(report, name.get_value(), ("/link", json!({})), || ());
    let keep = Callback::new(move |()| {
        is_asking.set(false);
        browser::focus_soon(id("remove"));
    });
    let remove = Callback::new(move |()| {
        is_asking.set(false);
        let name = name.get_value();
        report.order((Key::OperatorAccountRemoved, name.clone()), "op-accounts", async move {
            report.operator.delete(&client::account(&name, "")).await
        });
    });
    let devices = Memo::new(move |_| account.with(|it| it.devices.clone()));
    let has_devices = Memo::new(move |_| devices.with(|it| !it.is_empty()));
    let ids = move || devices.with(|it| it.iter().map(|it| it.id.clone()).collect::<Vec<_>>());
    let device = move |id: String| {
        let own = id.clone();
        let device = Memo::new(move |_| {
            devices.with(|it| it.iter().find(|it| it.id == own).cloned()).unwrap_or_default()
        });
        let used = move || {
            let used = device.with(|it| dates::moment(&it.last_used, Lang::spoken()));
            Key::OperatorDeviceUsed.fill(&[&used])
        };
        let end = move |_| {
            let path = name.with_value(|it| client::account(it, &format!("/devices/{id}")));
            let announcement =
                (Key::OperatorDeviceEnded, device.with_untracked(|it| it.client.clone()));
            report.order(announcement, TITLE, async move { report.operator.delete(&path).await });
        };
        view! {
            <li>
                <b>{move || device.with(|it| it.client.clone())}</b>" "
                <code>{move || device.with(|it| it.scopes.join(" "))}</code>" "{used}" "
                <button type="button" class="plain" on:click=end
                    aria-label=move || device.with(|it| Key::OperatorDeviceEndNamed.fill(&[&it.client]))>
                    {Key::OperatorDeviceEnd}
                </button>
            </li>
        }
    };
    view! {
        <article class="op-card" aria-labelledby=id("title")>
            <div class="op-card-head">
                <h3 id=id("title")>{name.get_value()}</h3>
                <p class="op-facts"><code>{scopes}</code><span>{signs_in}</span></p>
            </div>
            {move || has_devices.get().then(|| view! {
                <h4>{Key::OperatorDevices}</h4>
                <ul class="op-sentences"><For each=ids key=Clone::clone children=device/></ul>
            })}
            {move || match is_asking.get() {
                false => any_view! {
                    <div class="actions">
                        <button type="button" class="quiet small" on:click=relink
                            aria-label=named(Key::OperatorLinkNewNamed)>{Key::OperatorLinkNew}</button>
                        <button type="button" class="quiet small is-grave" id=id("remove")
                            aria-label=named(Key::OperatorAccountRemoveNamed)
                            on:click=move |_| is_asking.set(true)>{Key::OperatorAccountRemove}</button>
                    </div>
                },
                true => any_view! {
                    <Sure id=id("keep") ask=Signal::derive(named(Key::OperatorAccountRemoveAsk))
                        yes=Key::OperatorAccountRemoveYes no=Key::OperatorUnloadNo
                        on_yes=remove on_no=keep/>
                },
            }}
        </article>
    }
}
