//! Words of other languages that name the two sides, and the winner and the loser, in the headers of tables.

/// Left and right, home and away, in German, French, Spanish, Portuguese, Italian, Dutch, Russian, Chinese and
/// Japanese.
pub(super) const SIDES: &[(&str, &str)] = &[
    ("links", "rechts"),
    ("heim", "gast"),
    ("heim", "auswärts"),
    ("gauche", "droite"),
    ("domicile", "extérieur"),
    ("domicile", "exterieur"),
    ("domicile", "visiteur"),
    ("izquierda", "derecha"),
    ("local", "visitante"),
    ("esquerda", "direita"),
    ("mandante", "visitante"),
    ("sinistra", "destra"),
    ("casa", "trasferta"),
    ("casa", "ospite"),
    ("thuis", "uit"),
    ("хозяева", "гости"),
    ("左", "右"),
    ("主队", "客队"),
    ("ホーム", "アウェイ"),
    ("ホーム", "アウェー"),
];

/// The winner and the loser.
pub(super) const OUTCOMES: &[(&str, &str)] = &[
    ("sieger", "verlierer"),
    ("gewinner", "verlierer"),
    ("gagnant", "perdant"),
    ("vainqueur", "perdant"),
    ("vainqueur", "vaincu"),
    ("ganador", "perdedor"),
    ("vencedor", "perdedor"),
    ("vincitore", "perdente"),
    ("vincitore", "sconfitto"),
    ("winnaar", "verliezer"),
    ("zwycięzca", "przegrany"),
    ("vinnare", "förlorare"),
    ("победитель", "проигравший"),
    ("勝者", "敗者"),
    ("胜者", "败者"),
    ("승자", "패자"),
];

/// Words of columns of points: goals and points.
pub(crate) const POINTS: &[&str] =
    &["tore", "punkte", "buts", "goles", "gols", "puntos", "pontos", "punti", "doelpunten", "голы", "очки"];

/// Words of columns that hold an answer: result, choice, winner.
pub(super) const ANSWERS: &[&str] = &[
    "ergebnis",
    "wahl",
    "sieger",
    "gewinner",
    "résultat",
    "choix",
    "vainqueur",
    "gagnant",
    "resultado",
    "elección",
    "escolha",
    "ganador",
    "vencedor",
    "esito",
    "scelta",
    "vincitore",
    "uitslag",
    "keuze",
    "winnaar",
    "результат",
    "выбор",
    "победитель",
    "結果",
    "選択",
    "勝者",
    "结果",
    "选择",
    "胜者",
];
