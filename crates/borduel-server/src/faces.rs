//! What items look like where results are shown: the picture and its caption.

use crate::api_result::ApiResult;
use crate::app::App;
use crate::links;
use crate::unmarked::caption;
use borduel_report::ranking::Face;
use borduel_study::content::Content;
use borduel_study::{Desk, hex, image};
use std::collections::BTreeMap;
use std::sync::Arc;

/// By the item's key.
pub(crate) type Faces = BTreeMap<String, Face>;

/// The most bytes of pictures in a report, which is one file: those of the first items go before.
const IN_REPORT: usize = 3 * 1024 * 1024;

/// The items of a study that have a picture, which is at its address.
pub(crate) async fn faces(desk: &Desk, slug: &str) -> ApiResult<Faces> {
    let markdown = desk.read(|state| state.settings.markdown).await?;
    let face = |(_, key, content): (u16, String, Arc<Content>)| {
        let picture = Some(links::picture(slug, content.image.as_ref()?));
        Some((key, Face { picture, caption: caption(&content, markdown) }))
    };
    Ok(desk.items().await?.into_iter().filter_map(face).collect())
}

/// The same with the pictures themselves, in this order of items for as long as there is room.
pub(crate) async fn whole(app: &App, desk: &Desk, order: &[String]) -> ApiResult<Faces> {
    let markdown = desk.read(|state| state.settings.markdown).await?;
    let items = desk.items().await?;
    let items: BTreeMap<&str, &Content> = items.iter().map(|(_, key, content)| (key.as_str(), &**content)).collect();
    let (mut faces, mut room) = (Faces::new(), IN_REPORT);
    for key in order {
        let Some(content) = items.get(key.as_str()) else { continue };
        let Some(hash) = content.image.as_deref().and_then(hex::parse) else { continue };
        let bytes = app.studies.ledger().content(desk.study(), &hash).await?.filter(|bytes| bytes.len() <= room);
        let picture = bytes.and_then(|bytes| {
            room -= bytes.len();
            Some(borduel_report::embedded(image::media(&bytes)?, &bytes))
        });
        faces.insert(key.clone(), Face { picture, caption: caption(content, markdown) });
    }
    Ok(faces)
}
