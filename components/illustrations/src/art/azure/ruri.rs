//! 蒼晶の幼竜ルリ: Ruri, Crystal Hatchling.

use super::*;

/// Fresh out of its egg.
pub(super) fn draw() -> Canvas {
    let mut it = card(&[(0.0, 0x000b_2a6b), (0.5, 0x002b_7cc9), (1.0, 0x00a8_e6ff)]);
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
    it.lit(&wing.doubled(240.0), down(300.0, LIGHT, 430.0, BLUE), ICE, [0.0, -3.0]);
    let body = blob("240,360 300,400 318,480 290,560 190,560 162,480 180,400");
    it.lit(&body, down(360.0, c(0x0056_aaf0), 560.0, c(0x001c_58b0)), ICE, [3.0, -3.0]);
    it.fill(
        &blob("240,400 280,440 284,520 240,560 196,520 200,440"),
        down(400.0, ICE.a(0.9), 560.0, LIGHT.a(0.5)),
    );
    let ears = leaf([300.0, 270.0], [378.0, 206.0], 44.0).doubled(240.0);
    it.lit(&ears, down(200.0, LIGHT, 290.0, BLUE), ICE, [0.0, -2.0]);
    let horns = limb("272,236 286,196 276,160", &[24.0, 15.0, 2.0]).doubled(240.0);
    it.lit(&horns, down(160.0, ICE, 240.0, BLUE), c(0x00ff_ffff), [2.0, -1.0]);
    let head = blob("240,216 312,236 344,300 318,362 240,392 162,362 136,300 168,236");
    it.lit(&head, down(216.0, c(0x0075_c4fa), 392.0, c(0x0028_70c8)), ICE, [3.0, -4.0]);
    it.fill(&blob("240,312 284,330 282,368 240,386 198,368 196,330"), ICE.a(0.45));
    let eye = disc(296.0, 300.0, 26.0, 32.0).doubled(240.0);
    it.fill(&eye, down(268.0, NIGHT, 332.0, c(0x001b_6fd0)));
    it.fill(
        &disc(296.0, 314.0, 17.0, 15.0).doubled(240.0),
        down(300.0, BLUE.a(0.0), 330.0, c(0x0060_fff0).a(0.9)),
    );
    it.fill(&disc(303.0, 288.0, 9.0, 10.0).and(disc(189.0, 288.0, 9.0, 10.0)), c(0x00ff_ffff));
    it.fill(&disc(288.0, 318.0, 4.0, 4.0).and(disc(176.0, 318.0, 4.0, 4.0)), c(0x00ff_ffff).a(0.8));
    it.fill(&disc(252.0, 340.0, 3.4, 2.6).doubled(240.0), NIGHT);
    it.fill(
        &thick(
            &crate::art::shape::line("216,356 228,366 240,360 252,366 264,356"),
            &[1.0, 3.6, 3.6, 1.0],
        ),
        NIGHT,
    );
    it.fill(&disc(326.0, 340.0, 16.0, 9.0).doubled(240.0), c(0x00ff_a8d8).a(0.4));
    let arms = limb("300,430 300,470 276,484", &[30.0, 26.0, 24.0]).doubled(240.0);
    it.lit(&arms, down(420.0, c(0x0056_aaf0), 490.0, c(0x002f_7fd6)), ICE, [2.0, -2.0]);
    let shell = poly(
        "96,490 132,462 160,500 196,468 240,508 284,468 320,500 348,462 384,490 372,570 320,628 240,650 160,628 108,570",
    );
    it.lit(&shell, down(460.0, c(0x00dd_f6ff), 650.0, c(0x0022_66c0)), c(0x00ff_ffff), [0.0, -4.0]);
    for (facet, alpha) in [
        ("96,490 132,462 160,500 150,580 108,570", 0.25),
        ("240,508 284,468 300,560 240,600", 0.3),
        ("320,500 348,462 384,490 340,560", 0.18),
        ("160,500 196,468 190,560", 0.12),
    ] {
        it.fill(&poly(facet), c(0x00ff_ffff).a(alpha));
    }
    it.sparkles(7, 20, [30.0, 60.0, 450.0, 580.0], ICE);
    it
}
