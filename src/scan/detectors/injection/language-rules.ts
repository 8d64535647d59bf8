import { type InjectionRule, rule } from "./rule";

/** Setting instructions aside, and asking for the prompt, in the languages most written after English. */
export const LANGUAGE_RULES: readonly InjectionRule[] = [
  rule(
    "vergiss,vergessen sie,ignoriere,ignorieren sie,lass alle,lassen sie",
    /(?:vergiss|vergessen sie|ignoriere|ignorieren sie|lass|lassen sie)(?: bitte)?(?: nun| jetzt)?\s{1,3}(?:alles(?:,? (?:davor|bisherige|gesagte|was (?:du|ich|wir|dir|ihnen))|,? (?:und )?(?:schreibe?|sag|zeige?)\b)|(?:alle|deine|die|samtliche)\s{1,3}(?:\w{1,14}\s{1,3}){0,2}?(?:auftrage|aufgaben|angaben|informationen|ausfuhrungen|anweisungen|instruktionen)(?=[.!,]|\s{1,3}(?:und|hinter|davor|oben)))/,
    0.8,
  ),
  rule(
    "alle vorherigen,alle bisherigen,die obigen,die vorherigen,alle vorangegangenen,saemtliche,samtliche",
    /(?:alle|die|samtliche)\s{1,3}(?:vorherigen|bisherigen|obigen|vorangegangenen)\s{1,3}(?:\w{1,14}\s{1,3}){0,2}?(?:anweisungen|aufgaben|informationen|ausfuhrungen|befehle|regeln|angaben)\s{1,3}(?:\w{1,14}\s{1,3}){0,3}?(?:ignorieren|vergessen|missachten|hinter (?:dir|sich)|aus dem kopf)/,
    0.8,
  ),
  rule(
    "nun folgen neue,jetzt folgen neue,ab jetzt gelten",
    /(?:(?:nun|jetzt) folgen neue (?:aufgaben|anweisungen|instruktionen)|ab jetzt gelten (?:\w{1,10} ){0,3}?(?:keine|neue|andere) (?:regeln|anweisungen))/,
    0.7,
  ),
  rule(
    "zeig,zeige,gib,nenne,wie lautet,wie lauten,verrate",
    /(?:zeige?|gib|nenne?|verrate?|wie lauten?)\s{1,3}(?:\w{1,12}\s{1,3}){0,3}?(?:deine?n?|ihre?n?|dein)\s{1,3}(?:\w{1,14}\s{1,3}){0,1}?(?:system-?\s?prompts?|prompt-?\s?texte?|ursprunglichen anweisungen|initialen anweisungen|systemanweisung)/,
    0.7,
  ),
  rule(
    "oublie,oubliez,ignore,ignorez,ne tiens",
    /(?:oubliez?|ignorez?|ne tiens plus compte de)\s{1,3}(?:tout ce (?:qui precede|que (?:tu|vous|je))|tout(?:es)? (?:\w{1,12}\s){0,2}?(?:instructions|consignes|regles|directives)|tes (?:instructions|consignes|regles))/,
    0.85,
  ),
  rule(
    "affiche,affichez,montre,montrez,revele,revelez,donne-moi,repete,repetez",
    /(?:affiche|montre|revele|donne|repete)z?(?:-moi)?\s{1,3}(?:\w{1,12}\s{1,3}){0,3}?(?:prompt (?:systeme|initial)|invite systeme|instructions (?:initiales|systeme|d'origine)|consignes initiales)/,
    0.7,
  ),
  rule(
    "olvida,olvide,olvidar,ignora,ignore,ignorad,descarta,desobedece",
    /(?:olvid(?:a|e|ar)|ignor(?:a|e|ad)|descarta|desobedece)\s{1,3}(?:todo lo (?:anterior|que (?:sabes|te|he|se))|(?:todas )?(?:las|tus|sus)\s{1,3}(?:\w{1,12}\s{1,3}){0,2}?(?:instrucciones|ordenes|reglas|directrices|indicaciones)(?=[\s.,!]))/,
    0.8,
  ),
  rule(
    "muestra,muestrame,revela,revelame,dime,imprime,repite",
    /(?:muestra|revela|imprime|repite|di)(?:me)?\s{1,3}(?:\w{1,12}\s{1,3}){0,3}?(?:prompt (?:del? )?(?:sistema|inicial)|instrucciones (?:iniciales|del sistema|originales|ocultas))/,
    0.7,
  ),
  rule(
    "ignore,ignora,esqueca,desconsidere,esquece",
    /(?:ignor[ea]|esque(?:ca|ce)|desconsidere)\s{1,3}(?:tudo (?:o que|acima)|(?:\w{1,10}\s{1,3}){0,3}?(?:instrucoes|regras|ordens|comandos|orientacoes)\s{1,3}(?:\w{1,10}\s{1,3}){0,1}?(?:anteriores|acima|previas|iniciais|dadas))/,
    0.9,
  ),
  rule(
    "mostre,revele,exiba,imprima,repita,mostra,diga",
    /(?:mostr[ea]|revel[ea]|exiba|imprima|repita|diga)(?:-me)?\s{1,3}(?:\w{1,12}\s{1,3}){0,3}?(?:prompt (?:do |de )?(?:sistema|inicial)|instrucoes (?:iniciais|do sistema|originais))/,
    0.7,
  ),
  rule(
    "ignora,ignorate,ignori,dimentica,dimenticate,tralascia",
    /(?:ignor(?:a|ate|i)|dimentica(?:te)?|tralascia)\s{1,3}(?:tutto (?:quello che|cio che|quanto)|(?:\w{1,10}\s{1,3}){0,3}?(?:(?:istruzioni|regole|indicazioni|direttive|comandi)\s{1,3}(?:\w{1,10}\s{1,3}){0,1}?(?:precedenti|sopra|iniziali|ricevute|date)|(?:precedenti|tue) (?:istruzioni|regole|indicazioni)))/,
    0.9,
  ),
  rule(
    "mostra,mostrami,rivela,rivelami,stampa,ripeti,dimmi",
    /(?:mostra|rivela|stampa|ripeti|dim)(?:mi)?\s{1,3}(?:\w{1,12}\s{1,3}){0,3}?(?:prompt (?:di |del )?(?:sistema|iniziale)|istruzioni (?:iniziali|di sistema|originali))/,
    0.7,
  ),
  rule(
    "игнорируй,игнорируйте,проигнорируй,проигнорируйте,забудь,забудьте,не обращай",
    /(?:(?:про)?игнорируй(?:те)?|забудь(?:те)?|не обращай(?:те)? внимания на)\s{1,3}(?:\S{1,14}\s{1,3}){0,2}?(?:(?:предыдущ|прежн|вышеуказанн|прошл|ранее|сво|все|системн)\S{0,8}\s{1,3}(?:\S{1,14}\s{1,3}){0,2}?(?:инструкци|указани|правил|команд|ограничени|промпт)|вс[её],? что)/,
    0.9,
  ),
  rule(
    "покажи,выведи,раскрой,повтори,напиши,назови",
    /(?:покажи|выведи|раскрой|повтори|напиши|назови)(?:те)?\s{1,3}(?:\S{1,12}\s{1,3}){0,3}?(?:системн\S{1,4}\s{1,3}(?:промпт|инструкци|подсказк)|начальн\S{1,4}\s{1,3}инструкци|исходн\S{1,4}\s{1,3}инструкци)/,
    0.7,
  ),
  rule(
    "忽略,无视,忘记,忘掉,不要理会,無視,忽視,抛弃,停止遵守",
    /(?:忽略|无视|忘记|忘掉|不要理会|忽視|無視|抛弃|停止遵守)\S{0,8}?(?:之前|以上|上面|先前|前面|此前|原有|所有|一切|你的)\S{0,8}?(?:指令|指示|规则|規則|提示|命令|设定|限制|要求)/,
    0.9,
  ),
  rule(
    "输出,显示,告诉我,重复,打印,展示,泄露,透露,复述,说出",
    /(?:输出|显示|告诉我|重复|打印|展示|泄露|透露|复述|说出)\S{0,10}?(?:系统提示|提示词|初始指令|原有指示|初始提示|系统指令|系统消息|最初的指示)/,
    0.7,
  ),
  rule(
    "以前の,これまでの,上記の,今までの,前の,すべての,全ての",
    /(?:以前|これまで|上記|今まで|前|すべて|全て)の\S{0,8}?(?:指示|命令|ルール|プロンプト|規則|指令)\S{0,8}?(?:無視|忘れ|破棄)/,
    0.9,
  ),
  rule(
    "システムプロンプト,最初の指示,初期プロンプト",
    /(?:システムプロンプト|最初の指示|初期プロンプト)\S{0,6}?(?:表示|教え|出力|見せ|公開|明か|繰り返)/,
    0.7,
  ),
  rule(
    "이전,위의,앞의,지금까지,기존,앞선",
    /(?:이전|위|앞|지금까지|기존|앞선)(?:의|에)?\s{0,2}(?:\S{1,6}\s{1,2}){0,3}?(?:지시|명령|규칙|지침|프롬프트)\S{0,6}\s{0,2}(?:\S{1,6}\s{1,2}){0,2}?(?:무시|잊)/,
    0.9,
  ),
  rule(
    "시스템 프롬프트,시스템프롬프트,초기 지침,초기 지시",
    /(?:시스템 ?프롬프트|초기 지[침시])\S{0,3}\s{0,2}(?:\S{1,6}\s{1,2}){0,2}?(?:보여|알려|출력|공개|말해)/,
    0.7,
  ),
  rule(
    "önceki,yukarıdaki,tüm,bütün,geçmiş",
    /(?:önceki|yukarıdaki|tüm|bütün|geçmiş)\s{1,3}(?:\S{1,12}\s{1,3}){0,3}?(?:talimat|kural|komut|yönerge|istem)\S{0,12}\s{1,3}(?:\S{1,10}\s{1,2}){0,2}?(?:yok say|unut|göz ardı|görmezden|dikkate alma)/,
    0.9,
  ),
];
