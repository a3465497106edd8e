//! Every word of the pages on which people vote, and which language a page speaks.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_LANGUAGE;
use borduel_study::settings::Language;

words! {
    /// The words of one language.
    Words;
    start: "Start", "Los geht’s", "Empezar", "Commencer", "开始",
        "ابدأ", "התחלה";
    go_on: "Continue", "Weiter", "Continuar", "Continuer", "继续",
        "متابعة", "המשך";
    two_at_a_time: "You will see two at a time. Choose the one you prefer.",
        "Du siehst immer zwei auf einmal. Wähle, was dir besser gefällt.",
        "Verá dos opciones a la vez. Elija la que prefiera.",
        "Deux propositions s’affichent à la fois. Choisissez celle que vous préférez.",
        "每次会显示两个选项，请选择您更喜欢的一个。",
        "سيظهر لك خياران في كل مرة. اختر ما تفضّله.", "בכל פעם יוצגו שתי אפשרויות. בחרו את המועדפת עליכם.";
    one_pair: "One pair only; every answer counts.", "Nur ein Paar; jede Antwort zählt.",
        "Un solo par; cada respuesta cuenta.",
        "Une seule paire ; chaque réponse compte.", "只有一组，每个回答都算数。",
        "زوج واحد فقط، وكل إجابة تُحسب.", "זוג אחד בלבד; כל תשובה נספרת.";
    pairs: "{} pairs, about {} min; stop any time, every answer counts.",
        "{} Paare, etwa {} min; du kannst jederzeit aufhören, jede Antwort zählt.",
        "{} pares, alrededor de {} min; pare cuando quiera, cada respuesta cuenta.",
        "{} paires, environ {} min ; arrêtez quand vous voulez, chaque réponse compte.",
        "共 {} 组，约 {} 分钟；可随时停止，每个回答都算数。",
        "عدد الأزواج {}، نحو {} د؛ توقّف متى شئت، فكل إجابة تُحسب.",
        "{} זוגות, כ־{} דק׳; אפשר להפסיק בכל עת, כל תשובה נספרת.";
    your_name: "Your name", "Dein Name", "Su nombre", "Votre nom", "您的名字",
        "اسمك", "השם שלכם";
    name_missing: "Please enter a name of at most 100 characters.",
        "Bitte gib einen Namen mit höchstens 100 Zeichen an.",
        "Escriba un nombre de 100 caracteres como máximo.", "Indiquez un nom de 100 caractères au plus.",
        "请输入不超过 100 个字符的名字。",
        "يرجى كتابة اسم لا يزيد على 100 حرف.", "נא לכתוב שם של 100 תווים לכל היותר.";
    agree_missing: "Please tick the box if you want to take part.",
        "Bitte setze das Häkchen, wenn du teilnehmen möchtest.",
        "Marque la casilla si quiere participar.", "Cochez la case si vous voulez participer.", "如需参与，请勾选此框。",
        "يرجى وضع علامة في المربع إن أردت المشاركة.", "נא לסמן את התיבה אם ברצונכם להשתתף.";
    anonymous: "Anonymous: no name, no account. One cookie remembers which pairs you have seen.",
        "Anonym: kein Name, kein Konto. Ein Cookie merkt sich, welche Paare du gesehen hast.",
        "Anónimo: sin nombre ni cuenta. Una cookie recuerda qué pares ha visto.",
        "Anonyme : ni nom, ni compte. Un cookie retient les paires que vous avez vues.",
        "匿名：无需姓名和账户。一个 Cookie 用于记住您看过的组合。",
        "دون كشف الهوية: لا اسم ولا حساب. ملف تعريف ارتباط واحد يتذكر الأزواج التي رأيتها.",
        "אנונימי: בלי שם ובלי חשבון. עוגייה אחת זוכרת אילו זוגות ראיתם.";
    named: "Your name is kept with your answers. One cookie remembers which pairs you have seen.",
        "Dein Name wird mit deinen Antworten gespeichert. Ein Cookie merkt sich, welche Paare du gesehen hast.",
        "Su nombre se guarda con sus respuestas. Una cookie recuerda qué pares ha visto.",
        "Votre nom est conservé avec vos réponses. Un cookie retient les paires que vous avez vues.",
        "您的名字会与回答一起保存。一个 Cookie 用于记住您看过的组合。",
        "يُحفظ اسمك مع إجاباتك. ملف تعريف ارتباط واحد يتذكر الأزواج التي رأيتها.",
        "שמכם נשמר עם התשובות. עוגייה אחת זוכרת אילו זוגות ראיתם.";
    with_id: "Your id from the platform that sent you is kept with your answers. One cookie remembers which pairs \
    you have seen.",
        "Deine Kennung bei der Plattform, von der du kommst, wird mit deinen Antworten gespeichert. Ein Cookie merkt \
         sich, welche Paare du gesehen hast.",
        "Su identificador de la plataforma de origen se guarda con sus respuestas. Una cookie recuerda qué pares ha \
         visto.",
        "Votre identifiant sur la plateforme d’origine est conservé avec vos réponses. Un cookie retient les paires \
         que vous avez vues.",
        "您在来源平台上的编号会与回答一起保存。一个 Cookie 用于记住您看过的组合。",
        "يُحفظ معرّفك على المنصة التي أرسلتك مع إجاباتك. ملف تعريف ارتباط واحد يتذكر الأزواج التي رأيتها.",
        "המזהה שלכם בפלטפורמה ששלחה אתכם נשמר עם התשובות. עוגייה אחת זוכרת אילו זוגות ראיתם.";
    no_id: "Please open this study from the platform that sent you: its link has your id in it.",
        "Bitte öffne diese Studie von der Plattform aus, die dich geschickt hat: ihr Link enthält deine Kennung.",
        "Abra este estudio desde la plataforma que le envió: su enlace contiene su identificador.",
        "Ouvrez cette étude depuis la plateforme qui vous envoie : son lien contient votre identifiant.",
        "请从发送链接的平台打开本研究：链接中含有您的编号。",
        "يرجى فتح هذه الدراسة من المنصة التي أرسلتك: فرابطها يتضمن معرّفك.",
        "נא לפתוח את המחקר מהפלטפורמה ששלחה אתכם: הקישור שלה כולל את המזהה שלכם.";
    work_needs_script: "Your browser must run scripts here: it computes for a moment before you start, so that nobody \
    votes many times.",
        "Dein Browser muss hier Skripte ausführen: Er rechnet kurz, bevor du beginnst, damit niemand vielfach abstimmt.",
        "Su navegador debe ejecutar scripts aquí: calcula un momento antes de empezar, para que nadie vote muchas veces.",
        "Votre navigateur doit exécuter des scripts ici : il calcule un instant avant que vous commenciez, pour que \
         personne ne vote plusieurs fois.",
        "此处浏览器需要运行脚本：开始前会计算片刻，以防有人多次投票。",
        "يجب أن يشغّل متصفحك البرامج النصية هنا: فهو يحسب لحظة قبل أن تبدأ، كي لا يصوّت أحد مرات كثيرة.",
        "הדפדפן שלכם צריך להריץ כאן סקריפטים: הוא מחשב רגע לפני שמתחילים, כדי שאיש לא יצביע פעמים רבות.";
    work_again: "That took too long, or somebody has started with it already. Press the button again.",
        "Das hat zu lange gedauert, oder jemand hat damit schon begonnen. Drücke den Knopf noch einmal.",
        "Ha tardado demasiado, o alguien ya ha empezado con ello. Pulse el botón otra vez.",
        "Cela a pris trop de temps, ou quelqu’un a déjà commencé avec. Appuyez de nouveau sur le bouton.",
        "用时过长，或已有人用它开始。请再按一次按钮。",
        "استغرق ذلك وقتًا طويلًا، أو بدأ به شخص آخر. اضغط الزر مرة أخرى.",
        "זה ארך זמן רב מדי, או שמישהו כבר התחיל בזה. לחצו שוב על הכפתור.";
    many: "Many are joining just now. We try again in a few seconds…",
        "Gerade kommen sehr viele. Wir versuchen es in ein paar Sekunden wieder …",
        "Hay mucha gente entrando ahora mismo. Lo intentamos de nuevo en unos segundos…",
        "Beaucoup de monde arrive en ce moment. Nouvel essai dans quelques secondes…", "现在加入的人很多，几秒后会自动重试…",
        "ينضم كثيرون الآن. سنحاول مجددًا بعد بضع ثوانٍ…", "רבים מצטרפים ממש עכשיו. ננסה שוב בעוד כמה שניות…";
    cookies: "Your browser blocks cookies", "Dein Browser blockiert Cookies", "Su navegador bloquea las cookies",
        "Votre navigateur bloque les cookies", "您的浏览器阻止了 Cookie",
        "متصفحك يمنع ملفات تعريف الارتباط", "הדפדפן שלכם חוסם עוגיות";
    cookies_why: "One is needed to remember which pairs you have seen. It holds no name and is read by nobody else. \
    Allow cookies for this site, then try again.",
        "Einer wird gebraucht, um sich zu merken, welche Paare du gesehen hast. Er enthält keinen Namen und wird von \
         niemand anderem gelesen. Erlaube Cookies für diese Seite und versuche es noch einmal.",
        "Hace falta una para recordar qué pares ha visto. No contiene ningún nombre y nadie más la lee. Permita las \
         cookies de este sitio e inténtelo de nuevo.",
        "Il en faut un pour retenir les paires que vous avez vues. Il ne contient aucun nom et personne d’autre ne \
         le lit. Autorisez les cookies de ce site, puis réessayez.",
        "需要一个 Cookie 来记住您看过的组合。它不含姓名，也不会被他人读取。请允许本站使用 Cookie 后重试。",
        "نحتاج إلى واحد منها لتذكّر الأزواج التي رأيتها. لا يحمل اسمًا ولا يقرؤه أحد غيرنا. اسمح بملفات تعريف \
         الارتباط لهذا الموقع ثم حاول مرة أخرى.",
        "דרושה אחת כדי לזכור אילו זוגות ראיתם. אין בה שם ואיש אחר אינו קורא אותה. אפשרו עוגיות באתר זה ונסו שוב.";
    try_again: "Try again", "Noch einmal versuchen", "Intentar de nuevo", "Réessayer", "重试",
        "حاول مرة أخرى", "ניסיון נוסף";
    not_open: "Not open yet", "Noch nicht offen", "Aún no está abierto", "Pas encore ouvert", "尚未开放",
        "لم تُفتح بعد", "עדיין לא נפתח";
    not_open_more: "Voting has not begun. Come back later.",
        "Die Abstimmung hat noch nicht begonnen. Komm später wieder.",
        "La votación no ha empezado. Vuelva más tarde.", "Le vote n’a pas commencé. Revenez plus tard.",
        "投票尚未开始，请稍后再来。",
        "لم يبدأ التصويت. عُد لاحقًا.", "ההצבעה טרם החלה. חזרו מאוחר יותר.";
    paused: "Voting is paused", "Die Abstimmung macht Pause", "La votación está en pausa", "Le vote est suspendu",
        "投票已暂停",
        "التصويت متوقف مؤقتًا", "ההצבעה מושהית";
    come_back: "Come back later.", "Komm später wieder.", "Vuelva más tarde.", "Revenez plus tard.", "请稍后再来。",
        "عُد لاحقًا.", "חזרו מאוחר יותר.";
    ended: "Voting has ended", "Die Abstimmung ist beendet", "La votación ha terminado", "Le vote est terminé", "投票已结束",
        "انتهى التصويت", "ההצבעה הסתיימה";
    ended_more: "No more votes are taken. Thank you for your interest.",
        "Es werden keine Stimmen mehr angenommen. Danke für dein Interesse.",
        "Ya no se aceptan votos. Gracias por su interés.",
        "Les votes ne sont plus acceptés. Merci de votre intérêt.", "不再接受投票，感谢您的关注。",
        "لم تعد الأصوات تُقبل. شكرًا لاهتمامك.", "לא מתקבלים עוד קולות. תודה על ההתעניינות.";
    see_results: "See the results", "Zu den Ergebnissen", "Ver los resultados", "Voir les résultats", "查看结果",
        "عرض النتائج", "לתוצאות";
    barred: "You cannot vote here any more", "Du kannst hier nicht mehr abstimmen", "Ya no puede votar aquí",
        "Vous ne pouvez plus voter ici", "您不能再在此投票",
        "لم يعد بإمكانك التصويت هنا", "אינכם יכולים עוד להצביע כאן";
    barred_more: "Ask whoever sent you the link.", "Frage, wer dir den Link geschickt hat.",
        "Pregunte a quien le envió el enlace.",
        "Demandez à la personne qui vous a envoyé le lien.", "请联系发送链接给您的人。",
        "اسأل من أرسل إليك الرابط.", "פנו למי ששלח לכם את הקישור.";
    screened: "Thank you for your time", "Danke für deine Zeit", "Gracias por su tiempo", "Merci de votre temps", "感谢您抽出时间",
        "شكرًا على وقتك", "תודה על זמנכם";
    screened_more: "This study needs nothing more from you.", "Diese Studie braucht nichts weiter von dir.",
        "Este estudio no necesita nada más de usted.", "Cette étude n’a plus besoin de vous.", "本研究不再需要您的更多回答。",
        "لا تحتاج هذه الدراسة منك إلى شيء آخر.", "המחקר אינו זקוק לכם לדבר נוסף.";
    over_quota: "Thank you, there are enough", "Danke, es sind genug", "Gracias, ya son suficientes", "Merci, le compte y est",
        "谢谢，人数已满",
        "شكرًا، العدد اكتمل", "תודה, יש די משתתפים";
    over_quota_more: "As many people like you as this study needs have taken part.",
        "Es haben schon so viele Menschen wie du teilgenommen, wie diese Studie braucht.",
        "Ya han participado tantas personas como usted como este estudio necesita.",
        "Assez de personnes comme vous ont déjà participé à cette étude.", "与您情况相同的参与者已达到本研究所需人数。",
        "شارك من أمثالك العدد الذي تحتاج إليه هذه الدراسة.", "כבר השתתפו די אנשים כמוכם למחקר הזה.";
    answer_missing: "Please answer this.", "Bitte beantworte das.", "Responda a esto.", "Répondez à ceci.", "请回答此题。",
        "يرجى الإجابة عن هذا.", "נא לענות על כך.";
    network_full: "Enough votes from your network", "Genug Stimmen aus deinem Netz", "Ya hay suficientes votos de su red",
        "Assez de votes de votre réseau", "来自您网络的投票已足够",
        "يكفي ما ورد من أصوات من شبكتك", "יש די קולות מהרשת שלכם";
    network_full_more: "This study takes only so many voters from one network, and as many have come from yours. \
    Thank you for your interest.",
        "Diese Studie nimmt nur eine bestimmte Zahl von Stimmenden aus einem Netz, und aus deinem sind es so viele. \
         Danke für dein Interesse.",
        "Este estudio admite un número limitado de votantes por red, y de la suya ya han venido todos. Gracias por su \
         interés.",
        "Cette étude n’accepte qu’un certain nombre de votants par réseau, et le vôtre l’a atteint. Merci de votre \
         intérêt.",
        "本研究对同一网络的投票人数有限制，您所在网络的人数已满。感谢您的关注。",
        "تقبل هذه الدراسة عددًا محدودًا من المصوّتين من كل شبكة، وقد اكتمل من شبكتك. شكرًا لاهتمامك.",
        "המחקר מקבל מספר מוגבל של מצביעים מכל רשת, ומהרשת שלכם הגיעו כבר כולם. תודה על ההתעניינות.";
    or: "{} or {}?", "{} oder {}?", "¿{} o {}?", "{} ou {} ?", "{}还是{}？",
        "{} أم {}؟", "{} או {}?";
    this_or_that: "This one or that one?", "Dies oder das?", "¿Esta o aquella?", "Celle-ci ou celle-là ?", "这个还是那个？",
        "هذا أم ذاك؟", "זה או זה?";
    this_one: "This one", "Dieses", "Esta", "Celle-ci", "选这个",
        "هذا", "זה";
    much_better: "Much better", "Viel besser", "Mucho mejor", "Bien mieux", "好得多",
        "أفضل بكثير", "הרבה יותר טוב";
    slightly_better: "Slightly better", "Etwas besser", "Algo mejor", "Un peu mieux", "略好",
        "أفضل قليلًا", "קצת יותר טוב";
    first: "the first", "das erste", "la primera", "la première", "第一个",
        "الأول", "הראשון";
    second: "the second", "das zweite", "la segunda", "la seconde", "第二个",
        "الثاني", "השני";
    equal: "Equal", "Gleich gut", "Iguales", "Égales", "一样好",
        "متساويان", "שווים";
    both_bad: "Neither", "Keines", "Ninguna", "Aucune", "都不好",
        "لا هذا ولا ذاك", "אף אחד";
    skip: "Skip", "Auslassen", "Omitir", "Passer", "跳过",
        "تخطٍّ", "דילוג";
    undo: "Undo", "Zurück", "Deshacer", "Annuler", "撤销",
        "تراجع", "ביטול";
    finish: "Finish", "Fertig", "Terminar", "Terminer", "完成",
        "إنهاء", "סיום";
    enlarge: "Enlarge the picture", "Bild vergrößern", "Ampliar la imagen", "Agrandir l’image", "放大图片",
        "تكبير الصورة", "הגדלת התמונה";
    close: "Close", "Schließen", "Cerrar", "Fermer", "关闭",
        "إغلاق", "סגירה";
    picture_missing: "The picture is missing.", "Das Bild fehlt.", "Falta la imagen.", "L’image manque.", "图片缺失。",
        "الصورة مفقودة.", "התמונה חסרה.";
    show_all: "Show all", "Alles zeigen", "Mostrar todo", "Tout afficher", "显示全部",
        "عرض الكل", "הצגת הכול";
    show_less: "Show less", "Weniger zeigen", "Mostrar menos", "Afficher moins", "收起",
        "عرض أقل", "הצגת פחות";
    text_of: "Text of {}", "Text von {}", "Texto de {}", "Texte de {}", "{}的文字",
        "نص {}", "הטקסט של {}";
    open_link: "Open the link", "Link öffnen", "Abrir el enlace", "Ouvrir le lien", "打开链接",
        "فتح الرابط", "פתיחת הקישור";
    of: "{} of {}", "{} von {}", "{} de {}", "{} sur {}", "{} / {}",
        "{} من {}", "{} מתוך {}";
    answers_given: "Answers given", "Gegebene Antworten", "Respuestas dadas", "Réponses données", "已回答",
        "الإجابات المقدَّمة", "תשובות שניתנו";
    waiting: "{} waiting to be sent", "{} noch zu senden", "{} por enviar", "{} à envoyer", "{} 个待发送",
        "بانتظار الإرسال: {}", "ממתינות לשליחה: {}";
    offline: "You are offline. Your answers are kept and sent when you are back.",
        "Du bist offline. Deine Antworten werden aufgehoben und gesendet, sobald du wieder da bist.",
        "Está sin conexión. Sus respuestas se guardan y se enviarán cuando vuelva.",
        "Vous êtes hors ligne. Vos réponses sont gardées et seront envoyées à votre retour.",
        "您已离线。回答会保存，恢复连接后发送。",
        "أنت غير متصل. تُحفظ إجاباتك وتُرسل عند عودة الاتصال.", "אינכם מחוברים. התשובות נשמרות ויישלחו כשתחזרו.";
    written: "You are offline. What you have filled in stays here: try again when you are back.",
        "Du bist offline. Was du ausgefüllt hast, bleibt hier: versuche es noch einmal, sobald du wieder da bist.",
        "Está sin conexión. Lo que ha escrito queda aquí: inténtelo de nuevo cuando vuelva.",
        "Vous êtes hors ligne. Ce que vous avez rempli reste ici : réessayez à votre retour.",
        "您已离线。填写的内容会保留在此，恢复连接后请重试。",
        "أنت غير متصل. يبقى ما كتبته هنا: حاول مرة أخرى عند عودة الاتصال.",
        "אינכם מחוברים. מה שמילאתם נשאר כאן: נסו שוב כשתחזרו.";
    moment: "One moment…", "Einen Moment …", "Un momento…", "Un instant…", "请稍候…",
        "لحظة من فضلك…", "רק רגע…";
    not_undone: "That cannot be undone now", "Das lässt sich jetzt nicht zurücknehmen",
        "Eso no se puede deshacer ahora", "Impossible d’annuler maintenant", "现在无法撤销",
        "لا يمكن التراجع عن ذلك الآن", "אי אפשר לבטל את זה עכשיו";
    elsewhere: "That pair was answered in another window.",
        "Dieses Paar wurde in einem anderen Fenster beantwortet.", "Ese par se respondió en otra ventana.",
        "Cette paire a reçu une réponse dans une autre fenêtre.", "该组合已在另一窗口回答。",
        "أُجيب عن هذا الزوج في نافذة أخرى.", "על הזוג הזה נענה בחלון אחר.";
    lost: "Voting ended before your last answers arrived. Not counted: {}.",
        "Die Abstimmung endete, bevor deine letzten Antworten ankamen. Nicht gezählt: {}.",
        "La votación terminó antes de que llegaran sus últimas respuestas. No contadas: {}.",
        "Le vote s’est terminé avant l’arrivée de vos dernières réponses. Non comptées : {}.",
        "投票在您最后的回答到达之前已结束。未计入：{}。",
        "انتهى التصويت قبل وصول آخر إجاباتك. غير محسوب: {}.",
        "ההצבעה הסתיימה לפני שהגיעו התשובות האחרונות שלכם. לא נספרו: {}.";
    thanks: "Thank you", "Danke", "Gracias", "Merci", "谢谢",
        "شكرًا لك", "תודה";
    one_saved: "Your answer is saved.", "Deine Antwort ist gespeichert.", "Su respuesta está guardada.",
        "Votre réponse est enregistrée.", "您的回答已保存。",
        "حُفظت إجابتك.", "תשובתכם נשמרה.";
    saved: "Your {} answers are saved.", "Deine {} Antworten sind gespeichert.",
        "Sus {} respuestas están guardadas.", "Vos {} réponses sont enregistrées.", "您的 {} 个回答已保存。",
        "حُفظت إجابتك.¦حُفظت إجابتاك.¦حُفظت {} إجابات لك.¦حُفظت {} إجابةً لك.¦حُفظت {} إجابة لك.",
        "תשובתכם נשמרה.¦שתי התשובות שלכם נשמרו.¦{} התשובות שלכם נשמרו.";
    favourites: "Your favourites", "Deine Favoriten", "Sus favoritas", "Vos préférées", "您最喜欢的",
        "المفضّل لديك", "המועדפים שלכם";
    chosen_in: "chosen in {} of {} pairs", "gewählt in {} von {} Paaren", "elegida en {} de {} pares",
        "choisie dans {} paires sur {}", "在 {} 组中选中（共 {} 组）",
        "اختير في {} من {} من الأزواج", "נבחר ב־{} מתוך {} זוגות";
    more: "Vote on {} more", "Noch {} Paar¦Noch {} Paare", "Votar {} más", "Voter sur {} de plus", "再投 {} 组",
        "صوّت على زوج آخر¦صوّت على زوجين آخرين¦صوّت على {} أزواج أخرى¦صوّت على {} زوجًا آخر¦صوّت على {} زوج آخر",
        "הצבעה על זוג נוסף¦הצבעה על שני זוגות נוספים¦הצבעה על {} זוגות נוספים";
    share: "Copy the link to this study", "Link zu dieser Studie kopieren", "Copiar el enlace del estudio",
        "Copier le lien de l’étude", "复制本研究的链接",
        "نسخ رابط هذه الدراسة", "העתקת הקישור למחקר";
    say_something: "Anything to say to the organiser?", "Möchtest du noch etwas sagen?",
        "¿Quiere decir algo al organizador?", "Un mot pour l’organisateur ?", "有什么想对组织者说的吗？",
        "هل تودّ قول شيء للمنظّم؟", "יש משהו לומר למארגנים?";
    send: "Send", "Senden", "Enviar", "Envoyer", "发送",
        "إرسال", "שליחה";
    commented: "Your comment is saved.", "Dein Kommentar ist gespeichert.", "Su comentario está guardado.",
        "Votre commentaire est enregistré.", "您的留言已保存。",
        "حُفظ تعليقك.", "ההערה נשמרה.";
    undo_last: "Undo the last answer", "Letzte Antwort zurücknehmen", "Deshacer la última respuesta",
        "Annuler la dernière réponse", "撤销最后一个回答",
        "التراجع عن آخر إجابة", "ביטול התשובה האחרונה";
    what_i_answered: "What I answered", "Was ich geantwortet habe", "Lo que respondí", "Ce que j’ai répondu", "我的回答",
        "إجاباتي", "מה עניתי";
    rather: "{} rather than {}", "{} lieber als {}", "{} antes que {}", "{} plutôt que {}", "{}优于{}",
        "{} بدلًا من {}", "{} ולא {}";
    are_equal: "{} and {} are equal", "{} und {} sind gleich gut", "{} y {} son iguales", "{} et {} se valent",
        "{}和{}一样好",
        "{} و{} متساويان", "{} ו{} שווים";
    neither: "Neither {} nor {}", "Weder {} noch {}", "Ni {} ni {}", "Ni {} ni {}", "{}和{}都不好",
        "لا {} ولا {}", "לא {} ולא {}";
    skipped: "{} or {}: skipped", "{} oder {}: ausgelassen", "{} o {}: omitido", "{} ou {} : passé", "{}或{}：已跳过",
        "{} أم {}: تخطٍّ", "{} או {}: דילוג";
    suggest: "Is something missing? Suggest it", "Fehlt etwas? Schlag es vor", "¿Falta algo? Propóngalo",
        "Il manque quelque chose ? Proposez-le", "缺少什么吗？请提出建议",
        "هل ينقص شيء؟ اقترحه", "משהו חסר? הציעו אותו";
    suggest_name: "What it is called", "Wie es heißt", "Cómo se llama", "Son nom", "名称",
        "اسمه", "איך קוראים לזה";
    suggest_text: "A few words about it, if you like", "Ein paar Worte dazu, wenn du magst",
        "Unas palabras al respecto, si quiere", "Quelques mots à ce sujet, si vous voulez", "如果愿意，可以简单说明",
        "بضع كلمات عنه إن شئت", "כמה מילים על כך, אם תרצו";
    suggested: "Thank you. Whoever runs this study will look at it first.",
        "Danke. Wer diese Studie durchführt, sieht es sich zuerst an.",
        "Gracias. Quien dirige el estudio lo revisará primero.",
        "Merci. La personne qui mène l’étude le regardera d’abord.", "谢谢。研究的组织者会先查看您的建议。",
        "شكرًا. سينظر فيه أولًا من يدير هذه الدراسة.", "תודה. מי שמנהל את המחקר יעיין בזה תחילה.";
    next_voter: "Somebody else votes now", "Jetzt stimmt jemand anderes ab", "Ahora vota otra persona",
        "Une autre personne vote maintenant", "换一个人投票",
        "يصوّت الآن شخص آخر", "עכשיו מצביע מישהו אחר";
    together: "All voters together: {}", "Alle zusammen: {}", "Todos los votantes juntos: {}",
        "Tous les votants ensemble : {}", "所有投票者：{}",
        "جميع المصوّتين معًا: {}", "כל המצביעים יחד: {}";
    your_code: "Your completion code", "Dein Abschlusscode", "Su código de finalización", "Votre code de fin", "您的完成代码",
        "رمز الإتمام الخاص بك", "קוד הסיום שלכם";
    finish_there: "Finish on the platform that sent you", "Auf der Plattform abschließen, die dich geschickt hat",
        "Terminar en la plataforma que le envió",
        "Terminer sur la plateforme qui vous envoie", "返回来源平台完成",
        "أنهِ على المنصة التي أرسلتك", "סיום בפלטפורמה ששלחה אתכם";
    a_study_by: "A study by {}", "Eine Studie von {}", "Un estudio de {}", "Une étude de {}", "由 {} 发起的研究",
        "دراسة من {}", "מחקר של {}";
    contact: "Contact", "Kontakt", "Contacto", "Contact", "联系方式",
        "التواصل", "יצירת קשר";
    what_happens: "What happens with my answers?", "Was geschieht mit meinen Antworten?",
        "¿Qué pasa con mis respuestas?", "Que deviennent mes réponses ?", "我的回答会如何处理？",
        "ماذا يحدث لإجاباتي؟", "מה קורה לתשובות שלי?";
    made_with: "made with borduel", "gemacht mit borduel", "hecho con borduel", "fait avec borduel", "由 borduel 制作",
        "أُنشئت باستخدام borduel", "נוצר באמצעות borduel";
    kept: "Kept are: which pairs you were shown, what you answered, when, and how long it took; what you say about \
    yourself before, and what you write as a comment or suggest.",
        "Gespeichert wird: welche Paare dir gezeigt wurden, was du geantwortet hast, wann und wie schnell; was \
         du vorher über dich sagst, als Kommentar schreibst und vorschlägst.",
        "Se guarda: qué pares se le mostraron, qué respondió, cuándo y en cuánto tiempo; lo que diga antes \
         de usted y lo que escriba como comentario o propuesta.",
        "Sont conservés : les paires qui vous ont été montrées, vos réponses, leur date et leur durée ; ce que \
         vous dites de vous au début et ce que vous écrivez en commentaire ou proposez.",
        "保存的内容：向您展示的组合、您的回答、时间和用时，您在开始前提供的信息，以及您的留言和建议。",
        "يُحفظ: الأزواج التي عُرضت عليك، وما أجبت به، ومتى، وكم استغرق؛ وما تقوله عن نفسك في البداية، وما تكتبه \
         تعليقًا أو تقترحه.",
        "נשמר: אילו זוגות הוצגו לכם, מה עניתם, מתי וכמה זמן זה ארך; מה שאתם מספרים על עצמכם בהתחלה, ומה שאתם כותבים \
         כהערה או מציעים.";
    not_kept: "Not kept are your address on the internet and your browser. No other company is told that you were \
    here.",
        "Nicht gespeichert werden deine Internetadresse und dein Browser. Keine andere Firma erfährt, dass du hier \
         warst.",
        "No se guardan su dirección de internet ni su navegador. Ninguna otra empresa sabrá que estuvo aquí.",
        "Ne sont conservés ni votre adresse internet, ni votre navigateur. Aucune autre entreprise n’est informée de \
         votre visite.",
        "不保存您的网络地址和浏览器信息，也不会告知任何其他公司。",
        "لا يُحفظ عنوانك على الإنترنت ولا متصفحك. ولا تعلم أي شركة أخرى أنك كنت هنا.",
        "לא נשמרים כתובתכם באינטרנט והדפדפן שלכם. שום חברה אחרת אינה יודעת שהייתם כאן.";
    network_kept: "Of your network a number is kept, so that it is noticed when many votes come from one place. No \
    file shows your address or network; whoever has the database could find the network.",
        "Von deinem Netz wird eine Nummer gespeichert, damit auffällt, wenn viele Stimmen von einem Ort kommen. Keine \
         Datei zeigt deine Adresse oder dein Netz; wer die Datenbank hat, könnte das Netz herausfinden.",
        "De su red se guarda un número, para notar si muchos votos vienen de un mismo lugar. Ningún archivo muestra \
         su dirección ni su red; quien tenga la base de datos podría averiguar la red.",
        "De votre réseau est conservé un numéro, afin de remarquer si beaucoup de votes viennent d’un même endroit. \
         Aucun fichier ne montre votre adresse ni votre réseau ; qui a la base de données pourrait trouver le réseau.",
        "会为您的网络保存一个编号，以便发现大量投票来自同一处。任何文件都不显示您的地址或网络；拥有数据库的人可能查出该网络。",
        "يُحفظ عن شبكتك رقم، كي يُلاحَظ ورود أصوات كثيرة من مكان واحد. لا يُظهر أي ملف عنوانك أو شبكتك؛ ومن لديه \
         قاعدة البيانات قد يعرف الشبكة.",
        "מהרשת שלכם נשמר מספר, כדי שיורגש אם קולות רבים באים ממקום אחד. שום קובץ אינו מציג את כתובתכם או את הרשת; מי \
         שמחזיק במסד הנתונים עשוי לגלות את הרשת.";
    who_sees: "Whoever runs this study sees the answers; others see at most what all voters say together.",
        "Wer diese Studie durchführt, sieht die Antworten; andere sehen höchstens, was alle zusammen sagen.",
        "Quien dirige el estudio ve las respuestas; los demás ven, como mucho, el resultado conjunto.",
        "La personne qui mène l’étude voit les réponses ; les autres voient au plus le résultat d’ensemble.",
        "研究的组织者可以看到回答；其他人最多只能看到整体结果。",
        "من يدير هذه الدراسة يرى الإجابات؛ ولا يرى غيره، على الأكثر، سوى ما يقوله جميع المصوّتين معًا.",
        "מי שמנהל את המחקר רואה את התשובות; אחרים רואים לכל היותר מה אומרים כל המצביעים יחד.";
    erase: "You can have yourself erased: ask whoever runs the study.",
        "Du kannst dich löschen lassen: frage, wer die Studie durchführt.",
        "Puede pedir que se le borre: diríjase a quien dirige el estudio.",
        "Vous pouvez vous faire effacer : demandez à la personne qui mène l’étude.",
        "您可以要求删除自己的数据：请联系研究的组织者。",
        "يمكنك طلب محو بياناتك: اسأل من يدير الدراسة.", "אפשר לבקש שימחקו אתכם: פנו למי שמנהל את המחקר.";
    back: "Back to the study", "Zurück zur Studie", "Volver al estudio", "Retour à l’étude", "返回研究",
        "العودة إلى الدراسة", "חזרה למחקר";
    not_found: "Page not found", "Seite nicht gefunden", "Página no encontrada", "Page introuvable", "找不到页面",
        "الصفحة غير موجودة", "הדף לא נמצא";
    nothing_here: "There is nothing at this address.", "Unter dieser Adresse gibt es nichts.",
        "No hay nada en esta dirección.", "Il n’y a rien à cette adresse.", "此地址没有内容。",
        "لا شيء في هذا العنوان.", "אין דבר בכתובת הזאת.";
    not_found_more: "Check the address, or ask whoever gave it to you.",
        "Prüfe die Adresse, oder frage, wer sie dir gegeben hat.", "Compruebe la dirección o pregunte a quien se la dio.",
        "Vérifiez l’adresse ou demandez à la personne qui vous l’a donnée.", "请检查地址，或询问提供地址的人。",
        "تحقق من العنوان، أو اسأل من أعطاك إياه.", "בדקו את הכתובת, או פנו למי שנתן לכם אותה.";
    check_this: "Please check this", "Bitte prüfe das", "Revise esto", "Vérifiez ceci", "请检查",
        "يرجى التحقق من هذا", "נא לבדוק את זה";
    not_taken: "That could not be taken as it was sent.", "Das konnte so nicht angenommen werden.",
        "No se ha podido aceptar tal como se envió.", "Cela n’a pas pu être accepté tel quel.", "无法按所发送的内容接受。",
        "لم يمكن قبول ذلك كما أُرسل.", "לא היה אפשר לקבל את זה כפי שנשלח.";
    not_joined: "This browser has not joined the study", "Dieser Browser nimmt noch nicht an der Studie teil",
        "Este navegador aún no participa en el estudio", "Ce navigateur ne participe pas encore à l’étude", "此浏览器尚未加入本研究",
        "لم ينضم هذا المتصفح إلى الدراسة", "הדפדפן הזה לא הצטרף למחקר";
    not_joined_more: "Open the study and start.", "Öffne die Studie und leg los.", "Abra el estudio y empiece.",
        "Ouvrez l’étude et commencez.", "请打开研究并开始。",
        "افتح الدراسة وابدأ.", "פתחו את המחקר והתחילו.";
    not_allowed: "That is not possible here", "Das geht hier nicht", "Eso no es posible aquí", "Ce n’est pas possible ici",
        "此处无法这样做",
        "هذا غير ممكن هنا", "זה לא אפשרי כאן";
    not_allowed_more: "Open the study again, and go on from there.", "Öffne die Studie noch einmal und mach dort weiter.",
        "Abra de nuevo el estudio y siga desde allí.", "Ouvrez de nouveau l’étude et continuez de là.", "请重新打开研究并从那里继续。",
        "افتح الدراسة من جديد وتابع من هناك.", "פתחו שוב את המחקר והמשיכו משם.";
    not_counted: "That was not counted", "Das wurde nicht gezählt", "Eso no se ha contado", "Cela n’a pas été compté", "未计入",
        "لم يُحسب ذلك", "זה לא נספר";
    not_counted_more: "Voting has ended meanwhile, or the pair was answered before.",
        "Die Abstimmung ist inzwischen beendet, oder das Paar war schon beantwortet.",
        "La votación ha terminado entretanto, o el par ya estaba respondido.",
        "Le vote s’est terminé entre-temps, ou la paire avait déjà une réponse.", "投票已在此期间结束，或该组合已被回答。",
        "انتهى التصويت في هذه الأثناء، أو سبق أن أُجيب عن الزوج.", "בינתיים הסתיימה ההצבעה, או שכבר נענה על הזוג.";
    too_many: "Too much at a time", "Zu viel auf einmal", "Demasiado a la vez", "Trop à la fois", "请求过多",
        "طلبات كثيرة دفعة واحدة", "יותר מדי בבת אחת";
    wait: "Wait a moment, then try again.", "Warte einen Moment und versuche es noch einmal.",
        "Espere un momento e inténtelo de nuevo.", "Attendez un instant, puis réessayez.", "请稍候再试。",
        "انتظر لحظة ثم حاول مرة أخرى.", "המתינו רגע ונסו שוב.";
    not_saved: "That is not saved yet", "Das ist noch nicht gespeichert", "Aún no está guardado",
        "Ce n’est pas encore enregistré", "尚未保存",
        "لم يُحفظ ذلك بعد", "זה עוד לא נשמר";
    our_fault: "Something went wrong here", "Hier ist etwas schiefgegangen", "Algo ha fallado aquí",
        "Quelque chose s’est mal passé ici", "这里出了问题",
        "حدث خطأ هنا", "משהו השתבש כאן";
    our_fault_more: "It is not your fault. Try again later.", "Du kannst nichts dafür. Versuche es später noch einmal.",
        "No es culpa suya. Inténtelo más tarde.", "Ce n’est pas votre faute. Réessayez plus tard.", "这不是您的问题，请稍后再试。",
        "ليس هذا خطأك. حاول لاحقًا.", "זו לא אשמתכם. נסו שוב מאוחר יותר.";
    not_public: "These results are not public", "Diese Ergebnisse sind nicht öffentlich", "Estos resultados no son públicos",
        "Ces résultats ne sont pas publics", "此结果未公开",
        "هذه النتائج غير علنية", "התוצאות האלה אינן פומביות";
    not_public_more: "Open the private link that you were given, or enter its token.",
        "Öffne den privaten Link, den du bekommen hast, oder gib sein Token ein.",
        "Abra el enlace privado que le dieron o escriba su token.",
        "Ouvrez le lien privé que l’on vous a donné, ou saisissez son jeton.", "请打开您收到的私人链接，或输入其令牌。",
        "افتح الرابط الخاص الذي أُعطي لك، أو أدخل رمزه.", "פתחו את הקישור הפרטי שקיבלתם, או הזינו את האסימון שלו.";
    token: "Token", "Token", "Token", "Jeton", "令牌",
        "الرمز", "אסימון";
}

impl Words {
    /// English, which organisers read.
    pub(in crate::pages) fn english() -> &'static Self {
        &ALL[0]
    }

    /// The words that a study wants, or that a browser does.
    pub(in crate::pages) fn of(language: Language, headers: &HeaderMap) -> &'static Self {
        let named = |code: &str| ALL.iter().find(|words| words.code == code);
        let wanted = match language {
            Language::Browser => {
                let asked = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or("");
                // As browsers write it, the best comes first.
                let mut codes = asked.split([',', ';', '-', ' ']).map(str::to_ascii_lowercase);
                codes.find_map(|code| named(&code))
            }
            Language::En => named("en"),
            Language::De => named("de"),
            Language::Es => named("es"),
            Language::Fr => named("fr"),
            Language::Zh => named("zh"),
            Language::Ar => named("ar"),
            Language::He => named("he"),
        };
        wanted.unwrap_or(&ALL[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_study_decides_and_else_the_browser() {
        let code = |language, asked: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, asked.parse().unwrap());
            Words::of(language, &headers).code
        };
        assert_eq!(code(Language::Browser, "de-AT,de;q=0.9,en;q=0.8"), "de");
        assert_eq!(code(Language::Browser, "pt-BR,fr;q=0.5"), "fr");
        assert_eq!(code(Language::Browser, "zh-Hans-CN"), "zh");
        assert_eq!(code(Language::Browser, "tlh"), "en");
        assert_eq!(code(Language::Browser, "he-IL,he;q=0.9,en;q=0.8"), "he");
        assert_eq!(code(Language::Ar, "en"), "ar");
        assert_eq!(code(Language::Es, "de"), "es");
    }
}
