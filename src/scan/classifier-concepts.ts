import { fold } from "./fold/normalize";

/**
 * What words stand for in attacks, whatever their language. To reveal what an assistant was told is an order in any
 * words: the model learns which of these stand side by side in a sentence. Verbs, their objects, and pretexts, in the
 * languages of the grammar that part words by spaces.
 */
const CONCEPTS: Readonly<Record<string, string>> = {
  /** To set orders aside. */
  drop: "ignore ignoring disregard forget bypass circumvent override overrule overwrite disable deactivate suspend remove lift drop abandon discard violate break breach evade defy disobey reject transcend escape sidestep unlearn erase neglect waive cancel neutralize nullify unlock loosen skip relax unshackle overturn overthrow shed defeat dismiss subvert vergiss vergessen missachte umgehe umgeh verwirf deaktiviere uberschreibe ubergehe verlasse entferne losche ignora oublie contourne neglige desactive desobeis outrepasse supprime olvida olvide elude omite anula salta descarta rompe elimina esquece desconsidere contorne desative quebre dimentica tralascia disattiva aggira annulla negeer vergeet omzeil zignoruj zapomnij pomin obejdz wylacz złam игнорируй проигнорируй забудь обойди отключи отмени",
  /** To reveal, show, repeat. */
  tell: "reveal show showing display print output share sharing disclose expose divulge unveil uncover leak repeat recite list tell give dump echo quote paste copy export provide describe summarize explain confess translate spell return state write type report access read view see know surface extract reproduce zeig zeige nenne verrate offenbare enthulle wiederhole schreibe gib sag sage beschreibe montre affiche revele donne donnez repete dis dites muestra revela dime repite imprime comparte ensena mostre mostra diga repita exiba rivela svela ripeti dimmi stampa condividi toon onthul geef vertel herhaal pokaz ujawnij podaj powtorz wyswietl wypisz покажи раскрои скажи повтори выведи назови",
  /** What an assistant is held to. */
  orders:
    "instruction rule rules guideline restriction constraint limitation limits safeguard guardrail safety policy policies protocol directive filter ethics ethical ethic moral morals morality censorship boundaries moderation principles regulations norms standards alignment orders commands restraints anweisung regel regeln vorgaben richtlinie einschrankung protokoll grundsatze consigne regle regles contraintes limites reglas regla normas pautas filtros regras diretrizes istruzioni regole direttive linee norme regels beperkingen zasady zasad ograniczenia reguly wytyczne инструкции правила указания ограничения",
  /** What it was started with. */
  config:
    "prompt configuration initialization setup internals parameters programming training trained preprompt preamble context specification settings backend weights architecture metadata systemprompt konfiguration einstellungen ausbildung invite entrenamiento treinamento addestramento systeemprompt промпт настроики",
  /** Which of them: hidden, earlier, usual. */
  hidden:
    "hidden secret confidential concealed undisclosed private classified protected guarded forbidden prohibited banned disallowed original previous prior earlier above preceding base core underlying foundational default usual normal typical conventional builtin preset geheim versteckt vorherigen bisherigen ursprunglichen obigen cache caches anterieures ocultas oculto previas segredo segreto nascosto iniziali verborgen vorige eerdere poprzednie ukryte tajne скрытые секретные предыдущие",
  /** Whose they are. */
  you: "you your yours yourself youre u ur ya thy thou dein deine deiner deinen deinem dich dir du ihre ihr tes ton ta vos votre toi te tu tus su sus seu sua seus suas teu tua teus tuas tuoi tue tuo je jouw uw twoje twoja twoich твои твоя свои",
  /** Who asks. */
  me: "my me i mine im ive we our us mein meine meinen mir mich ich mes mon moi mi mis meu minha meus minhas mio mia miei mie mijn mij moje mnie мне мои",
  /** Without restrictions. */
  free: "unrestricted unfiltered uncensored unlimited limitless unbound unchained unethical amoral immoral unhinged uninhibited unmoderated unconstrained free freely freedom liberated without no lawless evil rogue jailbroken unaligned unchecked based raw honest transparent uneingeschrankt unbeschrankt ungefiltert unzensiert frei ohne illimite sans libre libere sinrestricciones irrestricto ilimitado sem livre senza libero onbeperkt zonder ongefilterd bez nieograniczony без свободныи",
  /** What it is. */
  ai: "ai assistant model chatbot bot gpt chatgpt llm llama claude gemini machine robot computer openai anthropic language ki modell modele intelligence ia asistente sistema asystent ии модель ассистент система",
  /** To play somebody, in a story. */
  role: "pretend imagine act acting roleplay role play character persona embody simulate impersonate become suppose hypothetical fictional story scene scenario novel game world universe dream theoretically thought thinking assume perform portray channel name called identity alter stell stelle spiele rolle joue jouez finge actua interpreta papel finja atue fingi immagina ruolo recita stel speel wyobraz udawaj odegraj представь притворись роль сыграи",
  /** From now on, only, word for word. */
  now: "now henceforth onwards forward immediately instead always never only must strictly exactly verbatim literally word jetzt sofort immer nur ab desormais maintenant toujours seulement ahora inmediatamente siempre solo agora imediatamente sempre apenas somente adesso subito nu altijd alleen teraz zawsze tylko теперь сеичас только всегда",
  /** Modes and ranks. */
  mode: "mode modus developer debug debugging admin administrator root sudo diagnostic dan god interface level sandbox test testing dev entwicklermodus modo modalita desarrollador desenvolvedor sviluppatore tryb режим",
  /** To switch on, start, run. */
  switch:
    "activate enable enter engage switch turn start execute run begin commence boot reboot reset restart aktiviere schalte wechsle activez passe cambia entra ative ativa attiva passa schakel aktywuj wlacz включи активируи переиди",
  /** What entitles. */
  claim:
    "authorized permission approved official verified credentials clearance engineer researcher security audit auditor compliance legal creator owner boss ceo employee team certified license sanctioned exempt allowed permitted agreed promised already confirmed entitled right rights autorisiert berechtigt geautoriseerd upowazniony",
  /** To obey, answer, serve. */
  obey: "obey comply follow answer respond reply listen serve help cooperate adhere prioritize submit accept gehorche folge befolge antworte obeis suis reponds obedece sigue siga obbedisci segui rispondi gehoorzaam volg antwoord posluchaj odpowiedz слушаися отвечаи выполняи",
  /** To refuse, warn. */
  refuse:
    "refuse refusal refusing deny decline sorry cannot apologize warn warning disclaimer caution unable denied weigere ablehnen refus excuser negarte rechazar disculpa recusar desculpa rifiutare odmow откажись",
  /** What is not to be helped with. */
  harm: "illegal harmful dangerous weapon bomb explosive malware virus drugs meth hack hacking exploit phishing steal kill murder poison hate racist violence nsfw sexual porn explicit profanity swear curse offensive insult attack schadlich gefahrlich ilegal peligroso ilegais perigoso pericoloso",
  /** Tasks and texts. */
  purpose:
    "purpose goal task mission job duty objective question request conversation message text line words chat everything anything all aufgabe alles tache tout tarea todo tarefa tudo compito tutto taak zadanie wszystko задача все",
};

/** Letters of a word that tell its concept: endings vary. */
export const STEM = 6;
/** Concepts are numbers of so many bits. */
export const CONCEPT_BITS = 5;

/** Slots of the table, a power of two; a quarter of them is used. */
const SLOTS = 4096;

/** The concept of a word by the hash of its first letters. */
export class Concepts {
  private readonly stems = new Int32Array(SLOTS);
  private readonly concepts = new Uint8Array(SLOTS);

  constructor(hash: (stem: string) => number) {
    for (const [at, words] of Object.values(CONCEPTS).entries()) {
      for (const word of words.split(" ")) {
        const stem = hash(fold(word).text.slice(0, STEM));
        const slot = this.slot(stem);
        this.stems[slot] = stem;
        this.concepts[slot] = at + 1;
      }
    }
  }

  /** From 1 on; 0 for a word without. */
  of(stem: number): number {
    return this.concepts[this.slot(stem)] ?? 0;
  }

  private slot(stem: number): number {
    let slot = (stem ^ (stem >>> 15)) & (SLOTS - 1);
    while (this.concepts[slot] !== 0 && this.stems[slot] !== stem) slot = (slot + 1) & (SLOTS - 1);
    return slot;
  }
}
