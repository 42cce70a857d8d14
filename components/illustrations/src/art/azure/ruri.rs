//! 蒼晶の幼竜ルリ: Ruri, Crystal Hatchling.

use super::*;

/// Fresh out of its egg.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x0b2a6b), (0.5, 0x2b7cc9), (1.0, 0xa8e6ff)]);
    it.glow(240.0, 330.0, 380.0, ICE.a(0.75));
    it.rays([240.0, 360.0], 6, 18, 520.0, ICE.a(0.22));
    it.crystal(70.0, 560.0, 330.0, -0.12, DEEP, LIGHT);
    it.crystal(420.0, 570.0, 380.0, 0.12, DEEP, LIGHT);
    it.crystal(16.0, 600.0, 240.0, -0.1, NIGHT, BLUE);
    it.crystal(474.0, 600.0, 220.0, 0.1, NIGHT, BLUE);
    let wing = membrane(
        [300.0, 390.0],
        [380.0, 300.0],
        &[[436.0, 322.0], [420.0, 384.0], [372.0, 412.0]],
        [310.0, 430.0],
    );
    wing.doubled(240.0).fill(it, lit(down(300.0, LIGHT, 430.0, BLUE), ICE, [0.0, -3.0]));
    let body = blob("240,360 300,400 318,480 290,560 190,560 162,480 180,400");
    body.fill(it, lit(down(360.0, c(0x56aaf0), 560.0, c(0x1c58b0)), ICE, [3.0, -3.0]));
    blob("240,400 280,440 284,520 240,560 196,520 200,440")
        .fill(it, down(400.0, ICE.a(0.9), 560.0, LIGHT.a(0.5)));
    let ears = leaf([300.0, 270.0], [378.0, 206.0], 44.0).doubled(240.0);
    ears.fill(it, lit(down(200.0, LIGHT, 290.0, BLUE), ICE, [0.0, -2.0]));
    let horns = limb("272,236 286,196 276,160", &[24.0, 15.0, 2.0]).doubled(240.0);
    horns.fill(it, lit(down(160.0, ICE, 240.0, BLUE), c(0xffffff), [2.0, -1.0]));
    let head = blob("240,216 312,236 344,300 318,362 240,392 162,362 136,300 168,236");
    head.fill(it, lit(down(216.0, c(0x75c4fa), 392.0, c(0x2870c8)), ICE, [3.0, -4.0]));
    blob("240,312 284,330 282,368 240,386 198,368 196,330").fill(it, ICE.a(0.45));
    let eye = disc(296.0, 300.0, 26.0, 32.0).doubled(240.0);
    eye.fill(it, down(268.0, NIGHT, 332.0, c(0x1b6fd0)));
    disc(296.0, 314.0, 17.0, 15.0)
        .doubled(240.0)
        .fill(it, down(300.0, BLUE.a(0.0), 330.0, c(0x60fff0).a(0.9)));
    disc(303.0, 288.0, 9.0, 10.0).and(disc(189.0, 288.0, 9.0, 10.0)).fill(it, c(0xffffff));
    disc(288.0, 318.0, 4.0, 4.0).and(disc(176.0, 318.0, 4.0, 4.0)).fill(it, c(0xffffff).a(0.8));
    disc(252.0, 340.0, 3.4, 2.6).doubled(240.0).fill(it, NIGHT);
    thick(
        &crate::art::shape::line("216,356 228,366 240,360 252,366 264,356"),
        &[1.0, 3.6, 3.6, 1.0],
    )
    .fill(it, NIGHT);
    disc(326.0, 340.0, 16.0, 9.0).doubled(240.0).fill(it, c(0xffa8d8).a(0.4));
    let arms = limb("300,430 300,470 276,484", &[30.0, 26.0, 24.0]).doubled(240.0);
    arms.fill(it, lit(down(420.0, c(0x56aaf0), 490.0, c(0x2f7fd6)), ICE, [2.0, -2.0]));
    let shell = poly(
        "96,490 132,462 160,500 196,468 240,508 284,468 320,500 348,462 384,490 372,570 320,628 240,650 160,628 108,570",
    );
    shell.fill(it, lit(down(460.0, c(0xddf6ff), 650.0, c(0x2266c0)), c(0xffffff), [0.0, -4.0]));
    for (facet, alpha) in [
        ("96,490 132,462 160,500 150,580 108,570", 0.25),
        ("240,508 284,468 300,560 240,600", 0.3),
        ("320,500 348,462 384,490 340,560", 0.18),
        ("160,500 196,468 190,560", 0.12),
    ] {
        poly(facet).fill(it, c(0xffffff).a(alpha));
    }
    it.sparkles(7, 20, [30.0, 60.0, 450.0, 580.0], ICE);
}
