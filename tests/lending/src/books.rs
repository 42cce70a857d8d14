//! The books of the library: tools, view, routes and reminders.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolkit::{
    English, Hints, Stop, Text, Tool, User,
    apps::App,
    dialogue::Name,
    events, refused,
    resources::{Contents, Page, Resources},
    routes::{Answer, Request, Route},
    sql,
};

/// The event of a lent or returned book.
const LOANS: &str = "lending://loans";

/// The view of the books, for the page and for MCP clients.
const BOOKS: App = App {
    uri: "ui://lending/books",
    name: "books_app",
    title: Text { ja: "蔵書", en: "Books" },
    style: include_str!("../app/books.css"),
    script: &[include_str!("../app/books.js")],
};

/// 図書館の本を一覧します。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListBooks {}

/// 本を貸し出します。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LendBook {
    /// 本の題名
    title: String,
    /// 借りる人
    member: String,
}

/// 本の返却を受け付けます。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReturnBook {
    /// 本の題名
    title: String,
}

/// A book and its borrower.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Book {
    book_id: String,
    title: String,
    english: String,
    member: Option<String>,
}

/// A list of books.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Books {
    books: Vec<Book>,
}

impl Tool for ListBooks {
    const NAME: &str = "list_books";
    const TITLE: Text = Text { ja: "蔵書一覧", en: "Books" };
    const ENGLISH: English =
        English { description: "Lists the books of the library.", arguments: &[] };
    const HINTS: Hints = Hints::READ_ONLY;
    const VIEW: Option<&'static str> = Some("books");
    const APP: Option<&'static str> = Some(BOOKS.uri);
    type Output = Books;

    fn call(self, _: &User) -> Result<Books, Stop> {
        Ok(Books { books: all()? })
    }
}

impl Tool for LendBook {
    const NAME: &str = "lend_book";
    const TITLE: Text = Text { ja: "貸し出し", en: "Lend a book" };
    const ENGLISH: English = English {
        description: "Lends a book to a member.",
        arguments: &[("title", "The book's title"), ("member", "Who takes it")],
    };
    const HINTS: Hints = Hints::ADDITIVE;
    const VIEW: Option<&'static str> = Some("books");
    const APP: Option<&'static str> = Some(BOOKS.uri);
    type Output = Books;

    fn call(self, _: &User) -> Result<Books, Stop> {
        give(&self.title, Some(&self.member))
    }
}

impl Tool for ReturnBook {
    const NAME: &str = "return_book";
    const TITLE: Text = Text { ja: "返却", en: "Return a book" };
    const ENGLISH: English =
        English { description: "Takes a book back.", arguments: &[("title", "The book's title")] };
    const HINTS: Hints = Hints::ADDITIVE;
    const VIEW: Option<&'static str> = Some("books");
    const APP: Option<&'static str> = Some(BOOKS.uri);
    type Output = Books;

    fn call(self, _: &User) -> Result<Books, Stop> {
        give(&self.title, None)
    }
}

fn all() -> Result<Vec<Book>, Stop> {
    let [rows] = sql::query([toolkit::sql!(
        "SELECT book_id, title, english, member FROM books ORDER BY book_id"
    )])?;
    Ok(rows.read()?)
}

/// Lends the book to `member`, or returns it; refuses where that changes nothing.
fn give(title: &str, member: Option<&str>) -> Result<Books, Stop> {
    let mut books = all()?;
    let at =
        books.iter().position(|it| it.title == title || it.english.eq_ignore_ascii_case(title));
    let Some(at) = at else {
        return Err(refused("book_not_found", 404, "その本はありません / No such book"));
    };
    let mut book = books.swap_remove(at);
    if book.member.is_some() == member.is_some() {
        let message = "その本は貸し出し中か、返却済みです / It is lent already, or back already";
        return Err(refused("book_not_there", 409, message).with(json!({ "title": book.title })));
    }
    sql::transact([toolkit::sql!(
        "UPDATE books SET member = $1, is_reminded = 0 WHERE book_id = $2",
        member,
        &book.book_id
    )])?;
    events::publish(LOANS);
    book.member = member.map(str::to_owned);
    Ok(Books { books: vec![book] })
}

/// The view, as a resource.
pub(crate) struct Views;

impl Resources for Views {
    fn list(_: Option<&str>) -> Result<Page, Stop> {
        Ok(vec![BOOKS.resource(&[])].into())
    }

    fn read(uri: &str, _: &User) -> Result<Option<Vec<Contents>>, Stop> {
        Ok((uri == BOOKS.uri).then(|| vec![BOOKS.contents(&[])]))
    }
}

/// Reminds all borrowers once.
pub(crate) fn remind() -> Result<(), Stop> {
    let [reminded] = sql::transact([toolkit::sql!(
        "UPDATE books SET is_reminded = 1 WHERE member IS NOT NULL AND is_reminded = 0"
    )])?;
    if reminded.changes > 0 {
        events::publish(LOANS);
    }
    Ok(())
}

/// Returns the routes for loans.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("loans", loans).of_tool::<ListBooks>(),
        Route::post("loans/{title}", |request| {
            let mut arguments = request.object()?;
            arguments.insert("title".to_owned(), request.parameter("title").into());
            Answer::of_tool::<LendBook>(request, arguments)
        })
        .of_tool::<LendBook>(),
        Route::of("DELETE", "loans/{title}", |request| {
            let title = request.parameter("title").into();
            Answer::of_tool::<ReturnBook>(
                request,
                [("title".to_owned(), title)].into_iter().collect(),
            )
        })
        .of_tool::<ReturnBook>(),
    ]
}

fn loans(_: &Request) -> Result<Answer, Stop> {
    let [rows] = sql::query([toolkit::sql!(
        "SELECT title, member, is_reminded FROM books WHERE member IS NOT NULL ORDER BY book_id"
    )])?;
    let loans: Vec<(String, String, i64)> = rows.read()?;
    let loan = |(title, member, is_reminded): &(String, String, i64)| json!({ "title": title, "member": member, "isReminded": *is_reminded == 1 });
    Ok(Answer::ok(&json!({ "loans": loans.iter().map(loan).collect::<Vec<_>>() })))
}

/// Returns the titles in both languages.
pub(crate) fn names() -> Result<Vec<Name>, String> {
    let books = all().map_err(|it| format!("{it:?}"))?;
    let named = |book: Book| Name {
        kind: "book".to_owned(),
        name: book.title,
        english: Some(book.english),
        within: None,
        also: Vec::new(),
        hints: Vec::new(),
        moods: Vec::new(),
    };
    Ok(books.into_iter().map(named).collect())
}
