import { type InjectionRule, rule } from "./rule";

/** Overrides, requests for the prompt and roles without rules in languages of Europe. Accents are folded away. */
export const WESTERN_RULES: readonly InjectionRule[] = [
  // German
  rule(
    "ignorier,ignoriere,ignorieren,vergiss,vergessen,missachte,missachten,verwirf,umgehe,loesche,losche,uberschreibe,setze dich uber,befolge nicht,befolge keine,beachte nicht",
    /(?:ignorier(?:e|en)?|vergiss|vergessen|missachten?|verwirf|umgehe|losche|uberschreibe|setze dich uber|befolge (?:nicht|keine)|beachte nicht)(?: sie| bitte| jetzt| nun){0,2}\s{1,3}(?:\w{1,14}\s{1,3}){0,3}?(?:vorherig|bisherig|obig|fruher|vorangegangen|vorangehend|ursprunglich|vorig|gegeben|sicherheits|system|deine|ihre|alle)\w{0,4}\s{0,3}(?:\w{1,16}\s{1,3}){0,2}?(?:anweisung|instruktion|regel|vorgabe|befehl|anordnung|richtlinie|prompt|auftrag|auftrage|aufgaben|einschrankung|beschrankung|programmierung|filter)/,
    0.9,
  ),
  rule(
    "anweisungen,regeln,vorgaben,richtlinien,instruktionen",
    /(?:anweisungen|regeln|vorgaben|richtlinien|instruktionen)(?: (?:von )?(?:oben|vorher|zuvor|davor|bisher))?\s{1,2}(?:sind (?:jetzt |nun |ab sofort )?(?:ungultig|aufgehoben|hinfallig|ausser kraft|nichtig)|gelten (?:jetzt |nun |ab sofort |fur dich )?nicht mehr|(?:sollst du|kannst du|bitte)? ?(?:nicht (?:mehr )?(?:befolgen|beachten)|ignorieren|vergessen|missachten))/,
    0.75,
  ),
  rule(
    "du bist jetzt,du bist nun,du bist ab jetzt,du bist eine ki,ab jetzt bist du,spiele eine ki,verhalte dich wie eine ki,tu so als,stell dir vor",
    /(?:du bist (?:jetzt|nun|ab jetzt|eine ki)|ab jetzt bist du|spiele eine ki|verhalte dich wie eine ki|tu so,? als|stell dir vor,? du)\b[^\n]{0,120}?(?:(?:ohne|keine|keinerlei|frei von)\s{1,2}(?:\w{1,14} ){0,2}?(?:einschrankung|beschrankung|regel|filter|ethi|moral|grenzen|zensur|richtlinien)|uneingeschrankt|unzensiert|ungefiltert|unmoralisch)/,
    0.8,
  ),
  rule(
    "wiederhole,gib,zeig,zeige,nenne,drucke,schreibe,verrate,uebersetze,ubersetze,wie lautet,wie lauten,was steht,was sind deine,was waren deine",
    /(?:wiederhole?|gib|zeige?|nenne?|drucke?|schreibe?|verrate?|ubersetze|wie lauten?|was steht|was (?:sind|waren))\s{1,3}(?:\w{1,12}\s{1,3}){0,4}?(?:system-?\s?(?:prompt|anweisung|nachricht)|(?:deine?n?|ihre?n?|die) (?:ursprunglich|initial|geheim|versteckt|intern|exakt|genau|anfanglich|komplett|vollstandig|vorherig)\w{0,3}\s{1,2}(?:\w{1,14} )?(?:anweisung|prompt|instruktion|regel|vorgabe)|(?:alles|den text|die worter|die anweisungen) (?:oben|oberhalb|davor|uber diese[rmn]|vor diese[rmn]))/,
    0.7,
  ),
  // French
  rule(
    "ignore,ignorez,ignorer,oublie,oubliez,oublier,neglige,negligez,contourne,contournez,desobeis,abandonne,abandonnez,annule,annulez,ne respecte,ne suis plus,ne suivez plus",
    /(?:ignore[zr]?|oublie[zr]?|neglige[zr]?|contourne[zr]?|desobeis a|abandonne[zr]?|annule[zr]?|ne (?:respecte|suis|suivez)[rz]? (?:plus|pas))\s{1,3}(?:\w{1,14}['’]?\s{1,3}){0,3}?(?:(?:instructions|consignes|regles|directives|ordres|restrictions|indications|contraintes|commandes)(?=[\s.,!:])(?!\s(?:du (?:medecin|manuel)|de securite routiere))\s{0,3}(?:\w{1,12}\s{1,3}){0,2}?(?:precedent|ci-dessus|anterieur|initial|recu|donne|que (?:tu|vous|je|l)|d'origine|systeme|d'avant)|tout ce qu|(?:tes|vos|toutes les|toutes tes|toutes vos|mes) (?:\w{1,14} )?(?:instructions|consignes|regles|directives|restrictions))/,
    0.85,
  ),
  rule(
    "tu es maintenant,tu es desormais,vous etes maintenant,vous etes desormais,tu es une ia,vous etes une ia,agis comme une ia,fais semblant,a partir de maintenant,imagine que tu,joue le role",
    /(?:(?:tu es|vous etes) (?:maintenant|desormais|une ia)|agis comme une ia|fais semblant|a partir de maintenant|imagine que tu|joue le role)\b[^\n]{0,120}?(?:(?:sans|aucune?|libre de|pas de)\s{1,2}(?:\w{1,14} ){0,2}?(?:restriction|limite|limitation|filtre|regle|ethique|moral|censure|contrainte)|non (?:censure|filtre)e?|sans tabou)/,
    0.8,
  ),
  rule(
    "repete,repetez,affiche,affichez,montre,montrez,revele,revelez,donne,donnez,ecris,traduis,imprime,quelles sont tes,quelles sont vos,quelles etaient,quel est ton,quel est votre",
    /(?:repetez?|affichez?|montrez?|revelez?|donnez?|ecris|traduis|imprimez?|quel(?:le)?s? (?:sont|etaient|est))(?:-moi|-nous)?\s{1,3}(?:\w{1,12}\s{1,3}){0,3}?(?:prompt\b|invite (?:systeme|initiale)|message systeme|(?:tes|vos|les) (?:\w{1,12} )?(?:instructions|consignes|directives|regles) (?:exactes|initiales|systeme|secretes|internes|cachees|d'origine|de depart|que tu as|que vous avez|recues|ci-dessus)|(?:tout (?:ce qui|le texte)|le texte|les mots) (?:\w{1,8} )?(?:precede|ci-dessus|au-dessus|avant))/,
    0.7,
  ),
  // Spanish
  rule(
    "ignora,ignore,ignorad,ignorar,ignoren,olvida,olvide,olvidad,olvidate,descarta,descarte,desobedece,anula,anule,omite,omita,salta,elimina,deja de seguir,no sigas,no obedezcas,haz caso omiso",
    /(?:ignor(?:a|e|ad|ar|en)|olvid(?:a|e|ad|ate)|descart[ae]|desobedece|anul[ae]|omit[ae]|salta|elimina|deja de seguir|no sigas|no obedezcas|haz caso omiso)\s{1,3}(?:de )?(?:\w{1,12}\s{1,3}){0,4}?(?:(?:instrucciones|ordenes|reglas|indicaciones|directrices|directivas|restricciones|comandos|normas)\s{1,3}(?:\w{1,12}\s{1,3}){0,3}?(?:anterior|previa|precedent|inicial|original|de arriba|del sistema|dad[ao]s|recibid|que (?:te|se|has|recib)|de seguridad)|(?:tus|todas tus|sus) (?:\w{1,12} )?(?:instrucciones|reglas|directrices|restricciones|normas)|(?:todo )?lo (?:anterior|de arriba|que (?:te|se|he|has)))/,
    0.85,
  ),
  rule(
    "ahora eres,a partir de ahora,eres una ia,actua como,finge,imagina que eres,haz de cuenta,desde ahora,de ahora en adelante,vas a actuar",
    /(?:ahora eres|(?:a partir de|desde) ahora|eres una ia|actua como|finge|imagina que eres|haz de cuenta|de ahora en adelante|vas a actuar)\b[^\n]{0,120}?(?:(?:sin|ninguna?|libre de|no tien\w{1,3}|no hay)\s{1,2}(?:\w{1,14} ){0,2}?(?:restriccion|limite|limitacion|filtro|regla|etica|moral|censura|norma)|sin censura|no censurad)/,
    0.8,
  ),
  rule(
    "repite,muestra,muestrame,revela,revelame,dime,imprime,escribe,traduce,dame,cuales son tus,cuales eran,cual es tu",
    /(?:repite|muestra|revela|di|imprime|escribe|traduce|da|cual(?:es)? (?:son|eran|es|fueron))(?:me)?\s{1,3}(?:\w{1,12}\s{1,3}){0,3}?(?:prompt\b|mensaje (?:del? )?sistema|(?:tus|sus|las|tu) (?:\w{1,12} )?(?:instrucciones|directrices|reglas|indicaciones) (?:exactas|iniciales|secretas|internas|originales|ocultas|del sistema|que (?:te|has|recib)|anteriores|de arriba)|(?:todo )?(?:lo|el texto|las palabras) (?:\w{1,8} )?(?:anterior|de arriba|precede))/,
    0.7,
  ),
  // Portuguese
  rule(
    "ignore,ignora,ignorem,esqueca,esquece,desconsidere,descarte,desobedeca,anule,nao siga,pare de seguir",
    /(?:ignor(?:e|a|em)|esque(?:ca|ce)|desconsidere|descarte|desobedeca|anule|nao siga|pare de seguir)\s{1,3}(?:\w{1,10}\s{1,3}){0,4}?(?:(?:instrucoes|regras|ordens|comandos|orientacoes|diretrizes|restricoes)\s{1,3}(?:\w{1,10}\s{1,3}){0,2}?(?:anterior|acima|previa|inicia|dada|do sistema|origina|que (?:voce|lhe|te|foram|eu))|(?:suas|todas as suas|tuas) (?:\w{1,12} )?(?:instrucoes|regras|diretrizes|restricoes)|tudo (?:o que|acima|que))/,
    0.85,
  ),
  rule(
    "agora voce,voce agora,a partir de agora,aja como,finja,imagine que voce,de agora em diante,tu es agora",
    /(?:agora voce|voce agora|a partir de agora|aja como|finja|imagine que voce|de agora em diante|tu es agora)\b[^\n]{0,120}?(?:(?:sem|nenhuma?|livre de|nao tem)\s{1,2}(?:\w{1,14} ){0,2}?(?:restric|limite|limitac|filtro|regra|etica|moral|censura)|nao censurad)/,
    0.8,
  ),
  rule(
    "repita,mostre,revele,exiba,imprima,escreva,traduza,diga,quais sao,quais eram,qual e o seu",
    /(?:repita|mostre|revele|exiba|imprima|escreva|traduza|diga|quais (?:sao|eram|foram)|qual e)(?:-me)?\s{1,3}(?:\w{1,12}\s{1,3}){0,3}?(?:prompt\b|mensagem (?:do |de )?sistema|(?:suas|as|tuas) (?:\w{1,12} )?(?:instrucoes|diretrizes|regras|orientacoes) (?:exatas|iniciais|secretas|internas|originais|ocultas|do sistema|que (?:voce|te)|acima|anteriores)|(?:tudo|o texto|as palavras) (?:\w{1,8} )?(?:acima|anterior))/,
    0.7,
  ),
  // Italian
  rule(
    "ignora,ignorate,ignori,ignorare,dimentica,dimenticate,dimenticati,tralascia,scarta,trascura,disobbedisci,annulla,non seguire,smetti di seguire",
    /(?:ignor(?:a|ate|i|are)|dimentica(?:te|ti)?|tralascia|scarta|trascura|disobbedisci a|annulla|non seguire|smetti di seguire)\s{1,3}(?:\w{1,10}\s{1,3}){0,4}?(?:(?:istruzioni|regole|indicazioni|direttive|comandi|ordini|restrizioni|linee guida)\s{1,3}(?:\w{1,10}\s{1,3}){0,2}?(?:precedent|sopra|inizial|ricevut|dat[ei]|original|di sistema|che (?:ti|hai|sono))|(?:tue|tutte le tue|vostre) (?:\w{1,12} )?(?:istruzioni|regole|direttive|restrizioni)|tutto (?:quello|cio|quanto|il testo))/,
    0.85,
  ),
  rule(
    "ora sei,adesso sei,d'ora in poi,da ora in poi,sei una ia,sei un'ia,agisci come,fingi,immagina di essere,fai finta",
    /(?:(?:ora|adesso) sei|da? ?'?ora in poi|sei una? ?'?ia|agisci come|fingi|immagina di essere|fai finta)\b[^\n]{0,120}?(?:(?:senza|nessuna?|privo di|priva di|libero da|non hai)\s{1,2}(?:\w{1,14} ){0,2}?(?:restrizion|limit|filtr|regol|etic|moral|censur)|non censurat)/,
    0.8,
  ),
  rule(
    "ripeti,mostra,mostrami,rivela,rivelami,stampa,dimmi,scrivi,traduci,quali sono le tue,quali erano,qual e il tuo",
    /(?:ripeti|mostra|rivela|stampa|dim|scrivi|traduci|quali (?:sono|erano)|qual e)(?:mi)?\s{1,3}(?:\w{1,12}\s{1,3}){0,3}?(?:prompt\b|messaggio di sistema|(?:tue|le) (?:\w{1,12} )?(?:istruzioni|direttive|regole) (?:esatte|iniziali|segrete|interne|originali|nascoste|di sistema|che (?:ti|hai)|precedenti|sopra)|(?:tutto|il testo|le parole) (?:\w{1,8} )?(?:sopra|precedent))/,
    0.7,
  ),
  // Dutch, Polish, Swedish, Czech, Romanian
  rule(
    "negeer,vergeet,zignoruj,ignoruj,zapomnij,pomin,ignorera,glom,strunta i,ignoruj,zapomen,ignora,uita,ignorati",
    /(?:negeer|vergeet|z?ignoruj(?:cie|te)?|zapomnij|pomin|ignorera|glom|strunta i|zapomen|ignora(?:ti)?|uita)\s{1,3}(?:\S{1,14}\s{1,3}){0,3}?(?:(?:vorige|eerdere|bovenstaande|voorgaande|poprzedni\S{0,3}|wczesniejsz\S{0,3}|powyzsz\S{0,3}|tidigare|foregaende|ovanstaende|predchozi\S{0,3}|predesle|anterioare|precedente|de mai sus)\s{1,3}(?:\S{1,14}\s{1,3}){0,2}?(?:instructies|opdrachten|regels|instrukcj\S{0,3}|polecen\S{0,3}|zasad\S{0,3}|instruktion\S{0,4}|regler|instrukce|pokyny|pravidla|instructiun\S{0,4}|reguli\S{0,3})|(?:instrukcj\S{0,3}|polecenia|zasady|instructies|instruktioner\S{0,2}|pokyny|instructiunile|regulile)\s{1,3}(?:\S{1,12}\s{1,3}){0,2}?(?:hierboven|powyzej|poprzedni\S{0,3}|ovan|vyse|anterioare|de mai sus|precedente))/,
    0.9,
  ),
  rule(
    "abweichend,entgegen,ungeachtet,trotz",
    /(?:abweichend (?:zu|von)|entgegen|ungeachtet|trotz)\s{1,2}(?:\w{1,8} ){0,2}?(?:vorherig|bisherig|obig|fruher|vorangegangen|ursprunglich)\w{0,3}\s{1,2}(?:\w{1,12} )?(?:anweisung|instruktion|regel|vorgabe|befehl)/,
    0.75,
  ),
  rule(
    "zaboravi,ignoriraj,zanemari,prezri,pozabi",
    /(?:zaboravi(?:te)?|ignoriraj(?:te)?|zanemari(?:te)?|prezri|pozabi)\s{1,3}(?:\S{1,12}\s{1,3}){0,3}?(?:upute|uputstva|instrukcije|pravila|naredbe|navodila|smernice|smjernice|sve sto|sve prethodno)/,
    0.85,
  ),
];
