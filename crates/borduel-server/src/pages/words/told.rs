//! Every word of the results as voters and others may see them, in the languages of the voters' pages. What the report
//! says in detail stays English, and is marked as that.

use super::{fill, name};
use crate::criterion::CriterionView;
use crate::outcome::Outcome;
use borduel_rank::ranking::VerdictKind;
use borduel_rank::sequential::Goal;

words! {
    /// The words of results in one language.
    Told;
    no_result: "No result yet", "Noch kein Ergebnis", "Aún no hay resultado", "Pas encore de résultat", "尚无结果",
        "لا نتيجة بعد", "עדיין אין תוצאה";
    no_answer: "No clear answer yet", "Noch keine klare Antwort", "Aún no hay una respuesta clara",
        "Pas encore de réponse claire", "尚无明确结果",
        "لا إجابة واضحة بعد", "עדיין אין תשובה ברורה";
    wins: "{} wins", "{} gewinnt", "Gana {}", "{} l’emporte", "{}胜出",
        "الفائز: {}", "{} במקום הראשון";
    can_be_chosen: "{} can be chosen", "{} kann gewählt werden", "Se puede elegir {}", "On peut choisir {}", "可以选择{}",
        "يمكن اختيار {}", "אפשר לבחור ב{}";
    equally_good: "Equally good: {}", "Gleich gut: {}", "Empate: {}", "À égalité : {}", "同样好：{}",
        "متساوية: {}", "טובים באותה מידה: {}";
    best_few: "The best {}: {}", "Die besten {}: {}", "Los {} mejores: {}", "Les {} meilleurs : {}", "前 {} 名：{}",
        "أفضل {}: {}", "{} הטובים ביותר: {}";
    order: "The order: {}", "Die Reihenfolge: {}", "El orden: {}", "L’ordre : {}", "排序：{}",
        "الترتيب: {}", "הסדר: {}";
    and_more: "{} and {} more", "{} und noch {}", "{} y {} más", "{} et {} de plus", "{}，以及另外 {} 个",
        "{} و{} غيرها", "{} ועוד {}";
    sure: "{} sure, after {} votes{}.", "Zu {} sicher, nach {} Stimmen{}.", "Con {} de seguridad, tras {} votos{}.",
        "Sûr à {}, après {} votes{}.", "把握 {}，基于 {} 票{}。",
        "درجة التأكد {}، عدد الأصوات {}{}.", "בטוח ב־{}, אחרי {} קולות{}.";
    preferred: "Preferred in {} of 100 comparisons.", "In {} von 100 Vergleichen vorgezogen.",
        "Preferida en {} de cada 100 comparaciones.", "Préférence dans {} comparaisons sur 100.",
        "每 100 次比较中约 {} 次被选中。",
        "فُضّل في {} من كل 100 مقارنة.", "הועדף ב־{} מתוך 100 השוואות.";
    after: "After {} votes{}.", "Nach {} Stimmen{}.", "Tras {} votos{}.", "Après {} votes{}.", "基于 {} 票{}。",
        "عدد الأصوات {}{}.", "אחרי {} קולות{}.";
    on_these: ", on these {} {}", ", zu diesen {} {}", ", sobre estos {} {}", ", sur ces {} {}", "，针对这 {} 个{}",
        "، على هذه ({}) {}", ", על {} אלה: {}";
    on_such: ", on {} like these ({} seen)", ", zu {} wie diesen ({} gesehen)", ", sobre {} como estos ({} vistos)",
        ", sur des {} comme ceux-ci ({} vus)", "，针对此类{}（已见 {} 个）",
        "، على {} مثل هذه (شوهد منها {})", ", על {} כמו אלה ({} נראו)";
    one_voter: "By one voter, who speaks for nobody else.", "Von einer einzigen Person, die für niemand anderen spricht.",
        "De una sola persona, que no habla por nadie más.", "D’une seule personne, qui ne parle pour personne d’autre.",
        "仅来自一位投票者，不代表其他人。",
        "من مصوّت واحد، لا يمثل غيره.", "של מצביע אחד, שאינו מדבר בשם אחרים.";
    few_voters: "By {} voters: so few speak for nobody else.", "Von {} Personen: so wenige sprechen für niemand anderen.",
        "De {} personas: tan pocas no hablan por nadie más.", "De {} personnes : si peu ne parlent pour personne d’autre.",
        "仅来自 {} 位投票者：人数太少，不代表其他人。",
        "من مصوّت واحد، لا يمثل غيره.¦من مصوّتين اثنين: عدد قليل لا يمثل غيره.¦من {} مصوّتين: عدد قليل لا يمثل \
         غيره.¦من {} مصوّتًا: عدد قليل لا يمثل غيره.¦من {} مصوّت: عدد قليل لا يمثل غيره.",
        "של מצביע אחד, שאינו מדבר בשם אחרים.¦של שני מצביעים: מעטים כל כך אינם מדברים בשם אחרים.¦של {} מצביעים: מעטים \
         כל כך אינם מדברים בשם אחרים.";
    until_settled: "Votes until it is settled", "Stimmen bis zur Entscheidung", "Votos hasta la decisión",
        "Votes jusqu’à la décision", "距得出结论的票数",
        "الأصوات حتى الحسم", "קולות עד להכרעה";
    until_closed: "Votes until the study closes", "Stimmen bis zum Ende der Studie", "Votos hasta el cierre del estudio",
        "Votes jusqu’à la fin de l’étude", "距研究结束的票数",
        "الأصوات حتى إغلاق الدراسة", "קולות עד לסיום המחקר";
    closes_after: "It closes after {} votes.", "Die Studie endet nach {} Stimmen.", "Se cierra tras {} votos.",
        "L’étude se termine après {} votes.", "收到 {} 票后结束。",
        "تُغلق الدراسة عند بلوغ الأصوات {}.", "המחקר נסגר אחרי {} קולות.";
    best_guess: "The best guess by these votes, though not a certain one: {}.",
        "Nach diesen Stimmen am ehesten, aber nicht sicher: {}.", "Lo más probable según estos votos, aunque no es seguro: {}.",
        "Le plus probable d’après ces votes, sans certitude : {}.", "根据这些投票最可能的是（并不确定）：{}。",
        "الأرجح بحسب هذه الأصوات، وإن لم يكن مؤكدًا: {}.", "הניחוש הטוב ביותר לפי הקולות האלה, אך לא בטוח: {}.";
    in_front: "In front so far: {}.", "Bisher vorn: {}.", "Por ahora va en cabeza: {}.", "En tête pour l’instant : {}.",
        "目前领先：{}。",
        "في المقدمة حتى الآن: {}.", "מוביל עד כה: {}.";
    all_in_race: "All {} are still in the race.", "Alle {} sind noch im Rennen.", "Las {} siguen en carrera.",
        "Les {} sont encore en course.", "全部 {} 个仍有可能胜出。",
        "كل الخيارات ({}) ما زالت في المنافسة.", "כל {} האפשרויות עדיין במרוץ.";
    race: "Still in the race: {}.", "Noch im Rennen: {}.", "Siguen en carrera: {}.", "Encore en course : {}.", "仍有可能胜出：{}。",
        "ما زال في المنافسة: {}.", "עדיין במרוץ: {}.";
    first_after: "The first one appears after {} votes ({} so far).", "Das erste erscheint nach {} Stimmen (bisher {}).",
        "El primero aparece tras {} votos (hasta ahora {}).", "Le premier apparaît après {} votes ({} pour l’instant).",
        "收到 {} 票后出现第一个结果（目前 {} 票）。",
        "تظهر أول نتيجة عندما تبلغ الأصوات {} (حتى الآن {}).", "הראשונה מופיעה אחרי {} קולות (עד כה {}).";
    more_between: "Between {} and {} more votes would settle it (true in {} of 10 such cases){}.",
        "Noch zwischen {} und {} Stimmen würden es entscheiden (das stimmt in {} von 10 solchen Fällen){}.",
        "Entre {} y {} votos más lo decidirían (se cumple en {} de cada 10 casos así){}.",
        "Entre {} et {} votes de plus trancheraient (vrai {} fois sur 10){}.",
        "再有 {} 到 {} 票即可得出结论（10 次中约 {} 次如此）{}。",
        "ما بين {} و{} من الأصوات الإضافية يكفي للحسم (يصح ذلك في {} من كل 10 حالات كهذه){}.",
        "בין {} ל־{} קולות נוספים יכריעו (נכון ב־{} מתוך 10 מקרים כאלה){}.";
    more_about: "About {} more votes would settle it (true in {} of 10 such cases){}.",
        "Noch etwa {} Stimmen würden es entscheiden (das stimmt in {} von 10 solchen Fällen){}.",
        "Unos {} votos más lo decidirían (se cumple en {} de cada 10 casos así){}.",
        "Environ {} votes de plus trancheraient (vrai {} fois sur 10){}.",
        "再有约 {} 票即可得出结论（10 次中约 {} 次如此）{}。",
        "نحو {} من الأصوات الإضافية يكفي للحسم (يصح ذلك في {} من كل 10 حالات كهذه){}.",
        "כ־{} קולות נוספים יכריעו (נכון ב־{} מתוך 10 מקרים כאלה){}.";
    too_early: "It is too early to tell how many more would settle it.",
        "Es ist zu früh, um zu sagen, wie viele noch fehlen.", "Es pronto para decir cuántos faltan.",
        "Il est trop tôt pour dire combien il en faut encore.", "现在判断还需要多少票为时过早。",
        "من المبكر معرفة كم يلزم بعد للحسم.", "מוקדם לומר כמה עוד דרושים להכרעה.";
    other_contexts: "More votes on these {} would not settle it; votes on more of them would.",
        "Mehr Stimmen zu diesen {} würden es nicht entscheiden; Stimmen zu weiteren schon.",
        "Más votos sobre estos {} no lo decidirían; votos sobre otros más, sí.",
        "Plus de votes sur ces {} ne trancheraient pas ; des votes sur d’autres, si.",
        "对这些{}再多投票也无法得出结论；需要更多不同的样本。",
        "مزيد من الأصوات على هذه {} لن يحسم الأمر؛ بل أصوات على غيرها أيضًا.",
        "קולות נוספים על {} אלה לא יכריעו; קולות על אחרים נוספים כן.";
    out_of_reach: "Far more votes than such a study gets would be needed to tell all of them apart. Fewer items, or a \
    larger difference that counts as equal, would help.",
        "Um alle zu unterscheiden, bräuchte es weit mehr Stimmen, als so eine Studie bekommt. Weniger Einträge oder ein \
         größerer Unterschied, der als gleich zählt, würden helfen.",
        "Para distinguirlas todas harían falta muchos más votos de los que recibe un estudio así. Ayudarían menos \
         opciones o una diferencia mayor que cuente como igual.",
        "Pour les départager toutes, il faudrait bien plus de votes qu’une telle étude n’en reçoit. Moins de \
         propositions, ou un écart plus grand compté comme égal, aideraient.",
        "要区分所有选项，所需票数远超此类研究能获得的数量。减少选项，或放宽视为相同的差距，会有帮助。",
        "للتمييز بينها جميعًا يلزم عدد من الأصوات أكبر بكثير مما تناله دراسة كهذه. يساعد تقليل الخيارات، أو فرق أكبر \
         يُعدّ تساويًا.",
        "כדי להבדיל בין כולם דרושים הרבה יותר קולות משמחקר כזה מקבל. יעזרו פחות אפשרויות, או הפרש גדול יותר שנחשב \
         שוויון.";
    more_needed: "More votes are needed.", "Es braucht mehr Stimmen.", "Hacen falta más votos.", "Il faut plus de votes.",
        "还需要更多投票。",
        "يلزم مزيد من الأصوات.", "דרושים עוד קולות.";
    pace: ", at the present pace within {}", ", beim jetzigen Tempo in {}", ", al ritmo actual en {}", ", au rythme actuel en {}",
        "，按目前速度需要{}",
        "، بالوتيرة الحالية خلال {}", ", בקצב הנוכחי בתוך {}";
    a_minute_or_two: "a minute or two", "ein bis zwei Minuten", "uno o dos minutos", "une ou deux minutes", "一两分钟",
        "دقيقة أو دقيقتين", "דקה או שתיים";
    minutes: "about {} minutes", "etwa {} Minuten", "unos {} minutos", "environ {} minutes", "约 {} 分钟",
        "نحو دقيقة¦نحو دقيقتين¦نحو {} دقائق¦نحو {} دقيقة¦نحو {} دقيقة", "כדקה¦כשתי דקות¦כ־{} דקות";
    hours: "about {} hours", "etwa {} Stunden", "unas {} horas", "environ {} heures", "约 {} 小时",
        "نحو ساعة¦نحو ساعتين¦نحو {} ساعات¦نحو {} ساعة¦نحو {} ساعة", "כשעה¦כשעתיים¦כ־{} שעות";
    days: "about {} days", "etwa {} Tagen", "unos {} días", "environ {} jours", "约 {} 天",
        "نحو يوم¦نحو يومين¦نحو {} أيام¦نحو {} يومًا¦نحو {} يوم", "כיום¦כיומיים¦כ־{} ימים";
    years: "years", "Jahren", "años", "plusieurs années", "数年",
        "سنوات", "שנים";
    ended: "Voting has ended.", "Die Abstimmung ist beendet.", "La votación ha terminado.", "Le vote est terminé.",
        "投票已结束。",
        "انتهى التصويت.", "ההצבעה הסתיימה.";
    goes_on: "Voting goes on.", "Die Abstimmung läuft noch.", "La votación continúa.", "Le vote continue.", "投票仍在进行。",
        "التصويت مستمر.", "ההצבעה נמשכת.";
    in_full: "In full", "Ausführlich (auf Englisch)", "En detalle (en inglés)", "En détail (en anglais)", "详细说明（英文）",
        "بالتفصيل (بالإنجليزية)", "בפירוט (באנגלית)";
    seconds_old: "As it was {} seconds ago: what has happened since is being computed.",
        "Stand von vor {} Sekunden: was seither kam, wird gerade berechnet.",
        "Como estaba hace {} segundos: lo ocurrido desde entonces se está calculando.",
        "État d’il y a {} secondes : la suite est en cours de calcul.", "{} 秒前的结果：之后的变化正在计算。",
        "الحالة قبل ثانية: ما حدث بعدها قيد الحساب.¦الحالة قبل ثانيتين: ما حدث بعدها قيد الحساب.¦الحالة قبل {} \
         ثوانٍ: ما حدث بعدها قيد الحساب.¦الحالة قبل {} ثانية: ما حدث بعدها قيد الحساب.¦الحالة قبل {} ثانية: ما حدث \
         بعدها قيد الحساب.",
        "המצב לפני שנייה: מה שקרה מאז מחושב עכשיו.¦המצב לפני שתי שניות: מה שקרה מאז מחושב עכשיו.¦המצב לפני {} שניות: \
         מה שקרה מאז מחושב עכשיו.";
    minutes_old: "As it was {} minutes ago: what has happened since is being computed.",
        "Stand von vor {} Minuten: was seither kam, wird gerade berechnet.",
        "Como estaba hace {} minutos: lo ocurrido desde entonces se está calculando.",
        "État d’il y a {} minutes : la suite est en cours de calcul.", "{} 分钟前的结果：之后的变化正在计算。",
        "الحالة قبل دقيقة: ما حدث بعدها قيد الحساب.¦الحالة قبل دقيقتين: ما حدث بعدها قيد الحساب.¦الحالة قبل {} \
         دقائق: ما حدث بعدها قيد الحساب.¦الحالة قبل {} دقيقة: ما حدث بعدها قيد الحساب.¦الحالة قبل {} دقيقة: ما حدث \
         بعدها قيد الحساب.",
        "המצב לפני דקה: מה שקרה מאז מחושב עכשיו.¦המצב לפני שתי דקות: מה שקרה מאז מחושב עכשיו.¦המצב לפני {} דקות: מה \
         שקרה מאז מחושב עכשיו.";
    votes: "Votes", "Stimmen", "Votos", "Votes", "票数",
        "الأصوات", "קולות";
    votes_axis: "votes", "Stimmen", "votos", "votes", "票数",
        "الأصوات", "קולות";
    voters: "Voters", "Stimmende", "Votantes", "Votants", "投票人数",
        "المصوّتون", "מצביעים";
    items: "Items", "Einträge", "Opciones", "Propositions", "选项",
        "الخيارات", "אפשרויות";
    a_minute: "Votes a minute", "Stimmen pro Minute", "Votos por minuto", "Votes par minute", "每分钟票数",
        "أصوات في الدقيقة", "קולות בדקה";
    hints: "{} answers of judges are hints: they guide what is asked and are never counted as votes.",
        "{} Antworten von Richtern sind Hinweise: sie lenken, was gefragt wird, und zählen nie als Stimmen.",
        "{} respuestas de jueces son indicios: orientan lo que se pregunta y nunca cuentan como votos.",
        "{} réponses de juges sont des indices : elles orientent les questions et ne comptent jamais comme votes.",
        "{} 个评判回答仅作提示：用于决定问什么，从不计为投票。",
        "إجابات الحكّام ({}) تلميحات: توجّه ما يُسأل عنه ولا تُحسب أصواتًا أبدًا.",
        "תשובות השופטים ({}) הן רמזים: הן מכוונות מה נשאל ולעולם אינן נספרות כקולות.";
    no_scores: "No scores yet: {}", "Noch keine Punkte: {}", "Aún no hay puntuaciones: {}", "Pas encore de scores : {}",
        "尚无得分：{}",
        "لا درجات بعد: {}", "עדיין אין ציונים: {}";
    scores: "Scores", "Punkte", "Puntuaciones", "Scores", "得分",
        "الدرجات", "ציונים";
    scores_are: "How often an item is preferred to another one. The line shows where the true score may lie; filled \
    marks may still be best.",
        "Wie oft ein Eintrag einem anderen vorgezogen wird. Die Linie zeigt, wo der wahre Wert liegen kann; \
         hervorgehobene können noch die besten sein.",
        "Con qué frecuencia se prefiere una opción a otra. La línea muestra dónde puede estar el valor real; las \
         destacadas aún pueden ser la mejor.",
        "Combien de fois une proposition est préférée à une autre. La ligne montre où peut se trouver la vraie valeur ; \
         celles mises en avant peuvent encore être la meilleure.",
        "选项胜过其他选项的频率。线条表示真实得分可能所在的范围；突出显示的仍可能是最佳。",
        "كم مرة يُفضَّل خيار على غيره. يبيّن الخط أين قد تقع الدرجة الحقيقية؛ والمميَّزة قد تكون الأفضل بعد.",
        "באיזו תדירות מועדפת אפשרות על אחרת. הקו מראה היכן עשוי להיות הציון האמיתי; המודגשות עשויות עדיין להיות \
         הטובות ביותר.";
    all_items: "All {} items", "Alle {} Einträge", "Las {} opciones", "Les {} propositions", "全部 {} 个选项",
        "كل الخيارات: {}", "כל האפשרויות: {}";
    may_be_best: "may be best", "kann das beste sein", "puede ser la mejor", "peut être la meilleure", "可能最佳",
        "قد يكون الأفضل", "עשוי להיות הטוב ביותר";
    graded: "In {} of {} votes one was found much better, in the others slightly.",
        "In {} von {} Stimmen war eines viel besser, in den anderen etwas besser.",
        "En el {} de {} votos una pareció mucho mejor; en los demás, algo mejor.",
        "Dans {} de {} votes, l’une était bien meilleure ; dans les autres, un peu.",
        "{} 的投票（共 {} 票）认为其中一个好得多，其余认为略好。",
        "في {} من الأصوات (المجموع {}) وُجد أحدهما أفضل بكثير، وفي الباقي أفضل قليلًا.",
        "ב־{} מהקולות (בסך הכול {}) אחת נמצאה טובה בהרבה, בשאר רק במעט.";
    unplaced: "Without enough votes to be placed: {}.", "Mit zu wenigen Stimmen für einen Platz: {}.",
        "Sin votos suficientes para situarse: {}.", "Sans assez de votes pour être classées : {}.", "票数不足，无法排名：{}。",
        "دون أصوات كافية لترتيبها: {}.", "בלי די קולות כדי לדרג: {}.";
    trust: "Is this trustworthy?", "Ist das verlässlich?", "¿Es fiable?", "Est-ce fiable ?", "结果可信吗？",
        "هل يمكن الوثوق بهذا؟", "האם אפשר לסמוך על זה?";
    checks_fine: "{} of {} checks are fine", "{} von {} Prüfungen sind in Ordnung", "{} de {} comprobaciones correctas",
        "{} contrôles sur {} sont bons", "{} / {} 项检查通过",
        "{} من {} من الفحوص سليمة", "{} מתוך {} בדיקות תקינות";
    fine: "Fine", "In Ordnung", "Correcto", "Bon", "通过",
        "سليم", "תקין";
    look_here: "Look here", "Hier hinsehen", "Atención", "À regarder", "需注意",
        "انظر هنا", "שימו לב";
    not_known: "Not known", "Nicht bekannt", "Desconocido", "Inconnu", "未知",
        "غير معروف", "לא ידוע";
    connected: "Everything can be compared.", "Alles lässt sich vergleichen.", "Todo se puede comparar.",
        "Tout peut être comparé.", "所有选项都可比较。",
        "يمكن مقارنة كل شيء.", "אפשר להשוות הכול.";
    won_and_lost: "Everything has won and lost.", "Alles hat gewonnen und verloren.", "Todo ha ganado y perdido.",
        "Tout a gagné et perdu.", "每个选项都有胜有负。",
        "كل خيار فاز وخسر.", "כל אפשרות ניצחה והפסידה.";
    votes_per_item: "Enough votes for each.", "Genug Stimmen für jeden Eintrag.", "Votos suficientes para cada una.",
        "Assez de votes pour chacune.", "每个选项的票数足够。",
        "أصوات كافية لكل خيار.", "די קולות לכל אפשרות.";
    enough_voters: "Enough voters.", "Genug Stimmende.", "Votantes suficientes.", "Assez de votants.", "投票人数足够。",
        "عدد كافٍ من المصوّتين.", "די מצביעים.";
    voter_agreement: "Voters agree with each other.", "Die Stimmenden sind sich einig.", "Los votantes coinciden entre sí.",
        "Les votants sont d’accord entre eux.", "投票者意见一致。",
        "المصوّتون متفقون.", "המצביעים מסכימים ביניהם.";
    cycles: "No circles of preferences.", "Keine Kreise von Vorlieben.", "Sin círculos de preferencias.",
        "Pas de cercles de préférences.", "没有循环的偏好。",
        "لا دوائر في التفضيلات.", "אין מעגלים של העדפות.";
    fit: "The votes fit the model.", "Die Stimmen passen zum Modell.", "Los votos se ajustan al modelo.",
        "Les votes s’accordent avec le modèle.", "投票符合模型。",
        "الأصوات توافق النموذج.", "הקולות מתאימים למודל.";
    position: "The side does not matter.", "Die Seite spielt keine Rolle.", "El lado no importa.", "Le côté n’importe pas.",
        "左右位置没有影响。",
        "الجهة لا تؤثر.", "הצד אינו משנה.";
    networks: "Votes come from many places.", "Die Stimmen kommen von vielen Orten.", "Los votos vienen de muchos lugares.",
        "Les votes viennent de nombreux endroits.", "投票来自许多地方。",
        "الأصوات من أماكن كثيرة.", "הקולות באים ממקומות רבים.";
    ties_and_skips: "Few ties and skips.", "Wenig Gleichstände und Ausgelassenes.", "Pocos empates y omisiones.",
        "Peu d’égalités et de paires passées.", "平局和跳过很少。",
        "قليل من التعادل والتخطي.", "מעט שוויונות ודילוגים.";
    agreement: "Other methods agree.", "Andere Verfahren stimmen überein.", "Otros métodos coinciden.",
        "D’autres méthodes concordent.", "其他方法结果一致。",
        "طرق أخرى تتفق.", "שיטות אחרות מסכימות.";
    all_numbers: "All numbers", "Alle Zahlen", "Todos los números", "Tous les chiffres", "全部数字",
        "كل الأرقام", "כל המספרים";
    numbers: "Numbers", "Zahlen", "Números", "Chiffres", "数字",
        "الأرقام", "מספרים";
    item: "Item", "Eintrag", "Opción", "Proposition", "选项",
        "الخيار", "אפשרות";
    score: "Score %", "Punkte %", "Puntuación %", "Score %", "得分 %",
        "الدرجة %", "ציון %";
    interval: "Interval", "Bereich", "Intervalo", "Intervalle", "区间",
        "المجال", "טווח";
    won: "Won", "Gewonnen", "Ganados", "Gagnés", "胜",
        "فوز", "ניצחונות";
    lost: "Lost", "Verloren", "Perdidos", "Perdus", "负",
        "خسارة", "הפסדים";
    equal: "Equal", "Gleich", "Iguales", "Égaux", "平",
        "تعادل", "שוויון";
    much_better: "Much better %†", "Viel besser %†", "Mucho mejor %†", "Bien mieux %†", "好得多 %†",
        "أفضل بكثير %†", "טוב בהרבה %†";
    intervals_are: "Intervals are {}.", "Bereiche sind {}.", "Los intervalos son {}.", "Les intervalles sont {}.",
        "区间为 {}。", "المجالات: {}.", "הטווחים: {}.";
    much_is: "† Of the votes for it that say how much better it is. Scores and verdicts count every vote once, much or \
    slightly.",
        "† Unter den Stimmen dafür, die sagen, wie viel besser es ist. Punkte und Urteile zählen jede Stimme einmal, viel \
         oder etwas.",
        "† De los votos a su favor que dicen cuánto mejor es. Puntuaciones y veredictos cuentan cada voto una vez, mucho \
         o algo.",
        "† Parmi les votes pour elle qui disent de combien elle est meilleure. Scores et verdicts comptent chaque vote \
         une fois, beaucoup ou un peu.",
        "† 在说明程度的支持票中所占比例。得分和结论中每票只计一次，不论程度。",
        "† من الأصوات لصالحه التي تذكر كم هو أفضل. الدرجات والأحكام تحسب كل صوت مرة واحدة، كثيرًا كان الفرق أو قليلًا.",
        "† מבין הקולות בעדה שאומרים עד כמה היא טובה יותר. ציונים והכרעות סופרים כל קול פעם אחת, בין שבהרבה ובין שבמעט.";
    every_pair: "Every pair", "Jedes Paar", "Cada par", "Chaque paire", "每一组",
        "كل زوج", "כל זוג";
    pairs_are: "Percent of votes that the row’s item won against the column’s, ties as half. Empty pairs were never \
    compared.",
        "Anteil der Stimmen in Prozent, die der Eintrag der Zeile gegen den der Spalte gewann, Gleichstände halb. Leere \
         Paare wurden nie verglichen.",
        "Porcentaje de votos que la opción de la fila ganó a la de la columna; los empates cuentan la mitad. Los pares \
         vacíos nunca se compararon.",
        "Pourcentage des votes que la proposition de la ligne a gagnés contre celle de la colonne, les égalités comptant \
         pour moitié. Les paires vides n’ont jamais été comparées.",
        "行选项对列选项的得票百分比，平局各计一半。空白表示从未比较过。",
        "النسبة المئوية للأصوات التي فاز بها خيار الصف على خيار العمود، والتعادل نصف. الأزواج الفارغة لم تُقارن قط.",
        "אחוז הקולות שבהם ניצחה אפשרות השורה את אפשרות העמודה; שוויון נחשב חצי. זוגות ריקים מעולם לא הושוו.";
    shares: "Shares of wins of every pair", "Gewinnanteile aller Paare", "Proporción de victorias de cada par",
        "Part de victoires de chaque paire", "每一组的获胜比例",
        "نسب الفوز في كل زوج", "שיעורי הניצחונות של כל זוג";
    in_report: "With more than {} items the matrix of pairs is in the report.",
        "Bei mehr als {} Einträgen steht die Tafel der Paare im Bericht.",
        "Con más de {} opciones la matriz de pares está en el informe.",
        "Au-delà de {} propositions, la matrice des paires est dans le rapport.", "选项超过 {} 个时，组合矩阵见报告。",
        "إذا زادت الخيارات على {} فجدول الأزواج في التقرير.", "כשיש יותר מ־{} אפשרויות, טבלת הזוגות נמצאת בדוח.";
    over_time: "Votes over time", "Stimmen im Lauf der Zeit", "Votos a lo largo del tiempo", "Votes au fil du temps",
        "投票随时间的变化",
        "الأصوات مع مرور الوقت", "הקולות לאורך הזמן";
    in_all: "Votes over time, {} in all", "Stimmen im Lauf der Zeit, insgesamt {}", "Votos a lo largo del tiempo, {} en total",
        "Votes au fil du temps, {} en tout", "投票随时间的变化，共 {} 票",
        "الأصوات مع مرور الوقت، المجموع {}", "הקולות לאורך הזמן, {} בסך הכול";
    since_minutes: "minutes since the first vote", "Minuten seit der ersten Stimme", "minutos desde el primer voto",
        "minutes depuis le premier vote", "距第一票的分钟数",
        "دقائق منذ أول صوت", "דקות מאז הקול הראשון";
    since_hours: "hours since the first vote", "Stunden seit der ersten Stimme", "horas desde el primer voto",
        "heures depuis le premier vote", "距第一票的小时数",
        "ساعات منذ أول صوت", "שעות מאז הקול הראשון";
    since_days: "days since the first vote", "Tage seit der ersten Stimme", "días desde el primer voto",
        "jours depuis le premier vote", "距第一票的天数",
        "أيام منذ أول صوت", "ימים מאז הקול הראשון";
    questions: "Questions", "Fragen", "Preguntas", "Questions", "问题",
        "الأسئلة", "שאלות";
    stop: ".", ".", ".", ".", "。",
        ".", ".";
    comma: ", ", ", ", ", ", ", ", "、",
        "، ", ", ";
}

impl Told {
    /// English, which organisers read.
    pub(in crate::pages) fn english() -> &'static Self {
        &ALL[0]
    }

    /// The words of the language of this code.
    pub(in crate::pages) fn of(code: &str) -> &'static Self {
        ALL.iter().find(|told| told.code == code).unwrap_or(&ALL[0])
    }

    /// Names in a row, at most five of them.
    pub(in crate::pages) fn names(&self, names: &[&str]) -> String {
        let (shown, rest) = names.split_at(names.len().min(5));
        let shown = shown.iter().map(|one| name(one)).collect::<Vec<_>>().join(self.comma);
        if rest.is_empty() { shown } else { fill(self.and_more, &[&shown, &rest.len()]) }
    }

    /// What comes out, in a few words: the head of a verdict.
    pub(in crate::pages) fn head(&self, kind: VerdictKind, goal: Goal, winners: &[&str]) -> String {
        let first = || winners.first().map(|first| name(first)).unwrap_or_default();
        match (kind, goal) {
            (VerdictKind::NotEnough, _) => self.no_answer.to_owned(),
            (VerdictKind::Tie, _) => fill(self.equally_good, &[&self.names(winners)]),
            (VerdictKind::ClearWinner, Goal::Winner) => fill(self.wins, &[&first()]),
            (VerdictKind::GoodEnough, Goal::Winner) => fill(self.can_be_chosen, &[&first()]),
            (_, Goal::Top(k)) => fill(self.best_few, &[&k, &self.names(winners)]),
            (_, _) => fill(self.order, &[&self.names(winners)]),
        }
    }

    /// The head of the verdict of a study.
    pub(in crate::pages) fn verdict(&self, outcome: &Outcome) -> String {
        self.head(outcome.verdict.kind, outcome.goal, &titles(outcome, &outcome.verdict.winners))
    }

    /// The head of what is known by one of several questions.
    pub(in crate::pages) fn by(&self, outcome: &Outcome, criterion: &CriterionView) -> String {
        match criterion.verdict {
            Some(kind) => self.head(kind, outcome.goal, &titles(outcome, &criterion.winners)),
            None => self.no_result.to_owned(),
        }
    }

    /// What people call a check.
    pub(in crate::pages) fn check<'a>(&self, name: &'a str) -> &'a str {
        match name {
            "connected" => self.connected,
            "won-and-lost" => self.won_and_lost,
            "votes-per-item" => self.votes_per_item,
            "voters" => self.enough_voters,
            "voter-agreement" => self.voter_agreement,
            "cycles" => self.cycles,
            "fit" => self.fit,
            "position" => self.position,
            "networks" => self.networks,
            "ties-and-skips" => self.ties_and_skips,
            "agreement" => self.agreement,
            other => other,
        }
    }

    /// Whether this is English, in which the report's details are.
    pub(in crate::pages) fn is_english(&self) -> bool {
        self.code == "en"
    }
}

/// The names of the items of these keys.
fn titles<'a>(outcome: &'a Outcome, keys: &[String]) -> Vec<&'a str> {
    keys.iter().filter_map(|key| outcome.titles.get(key).map(String::as_str)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use borduel_report::verdict::Statement;

    /// The report and the API say the same in English.
    #[test]
    fn heads_of_verdicts_are_those_of_the_report() {
        let titles = ["tea", "coffee", "mud", "milk", "water", "juice", "cola"];
        let name = |item: usize| titles[item].to_owned();
        for kind in [VerdictKind::NotEnough, VerdictKind::Tie, VerdictKind::ClearWinner, VerdictKind::GoodEnough] {
            for goal in [Goal::Winner, Goal::Top(2), Goal::All] {
                for most in [1, 2, 5, 7] {
                    let winners: Vec<usize> = (0..most).collect();
                    let (sure, more, about) = ("", "", "");
                    let (items, score, margin, few_voters) = (7, None, 0.02, None);
                    let said = Statement {
                        kind,
                        goal,
                        winners: &winners,
                        items,
                        score,
                        margin,
                        sure,
                        more,
                        few_voters,
                        about,
                    };
                    assert_eq!(Told::english().head(kind, goal, &titles[..most]), said.head(&name));
                }
            }
        }
        assert_eq!(Told::of("de").head(VerdictKind::ClearWinner, Goal::Winner, &["Tee"]), "Tee gewinnt");
        assert_eq!(Told::of("zh").names(&["茶", "水"]), "茶、水");
    }
}
