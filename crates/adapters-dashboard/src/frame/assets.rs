//! Style, script and picture of the pages. Their names hold a hash of their content, so browsers keep
//! them for ever.

use std::sync::LazyLock;

use actix_web::{
    HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_TYPE},
    web::{self, Bytes, Path, ServiceConfig},
};
use sha2::{Digest, Sha256};

pub(crate) static CSS: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new(include_str!("../assets/dashboard.css"), "css", "text/css; charset=utf-8")
});
pub(crate) static JS: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new(include_str!("../assets/dashboard.js"), "js", "text/javascript; charset=utf-8")
});
pub(crate) static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new(include_str!("../assets/icon.svg"), "svg", "image/svg+xml"));

/// File that pages load.
pub(crate) struct Asset {
    pub(crate) address: String,
    content: &'static str,
    media_type: &'static str,
}

impl Asset {
    fn new(content: &'static str, extension: &str, media_type: &'static str) -> Self {
        let hash = Sha256::digest(content);
        let name = hex(hash.iter().take(8));
        Self { address: format!("/app/assets/{name}.{extension}"), content, media_type }
    }
}

/// Adds the address of the files.
pub(crate) fn mount(config: &mut ServiceConfig) {
    config.route("/assets/{name}", web::get().to(show));
}

async fn show(name: Path<String>) -> HttpResponse {
    let all: [&Asset; 3] = [&CSS, &JS, &ICON];
    let asked = format!("/app/assets/{name}");
    let Some(asset) = all.into_iter().find(|asset| asset.address == asked) else {
        return HttpResponse::NotFound().finish();
    };
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, asset.media_type))
        .insert_header((CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .body(Bytes::from_static(asset.content.as_bytes()))
}

pub(crate) fn hex<'b>(bytes: impl Iterator<Item = &'b u8>) -> String {
    bytes.fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
