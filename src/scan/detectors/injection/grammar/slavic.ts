import type { Tongue } from "./tongue";

const POLISH: Tongue = {
  language: "pl",
  drop: "zignoruj|cie,ignoruj,ignorować,zapomnij,zapomnij o,pomiń,pomijaj,odrzuć,porzuć,omiń,obejdź,nadpisz,wyłącz,dezaktywuj,zawieś,złam,łam,narusz,przekrocz,zlekceważ,nie przestrzegaj,nie stosuj się do,nie zwracaj uwagi na,przestań przestrzegać,przestań stosować,usuń,unieważnij",
  own: "swoje,swoich,swoim,twoje,twoich,twoim",
  orders:
    "instrukcj|e,poleceni|a,zasad|y,reguł|y,wytyczn|e,ogranicze|nia,dyrektyw|y,nakaz|y,filtr|y,protokoł|y,zabezpiecze|nia,programowani|e,etyk|ę,norm|y,procedur|y,prompt|u,szkoleni|e",
  past: "poprzedni|e,wcześniejsz|e,powyższ|e,dotychczasow|e,początkow|e,pierwotn|e,systemow|e,bezpieczeństwa,powyżej",
  tell: "pokaż,ujawnij,wyświetl,wypisz,wydrukuj,zdradź,podaj,powtórz,powiedz,przytocz",
  ask: "opisz,wyjaśnij,jaki jest,jaki był,jakie są,jakie były,jak brzmi,jak brzmią",
  prompt:
    "prompt systemowy,promptu systemowego,prompta systemowego,początkowy prompt,ukryty prompt,instrukcje systemowe,instrukcji systemowych,instrukcje początkowe,komunikat systemowy,wiadomość systemową,ukryte instrukcje,tajne instrukcje",
  given:
    "które otrzymał|eś,które dostał|eś,które ci,którymi się,na których,twojego szkolenia,twojego programowania,twoich odpowiedzi,ukryt|e,tajn|e",
  obey: "wykonuj,słuchaj,przestrzegaj,stosuj się,podążaj,skup się",
  only: "tylko,wyłącznie,jedynie,bez wahania",
  mine: "moje polecenia,moich poleceń,moje instrukcje,moich instrukcji,moim poleceniom,moim instrukcjom,moje rozkazy",
  enter: "aktywuj,włącz,uruchom,przejdź w,przejdź do,wejdź w,odblokuj",
  mode: "tryb programisty,tryb deweloper|a,trybu deweloper|a,tryb bez,trybu bez,tryb nieograniczony,tryb dan,tryb boga,tryb bez cenzury",
};

const RUSSIAN: Tongue = {
  language: "ru",
  drop: "игнорируй|те,игнорировать,проигнорируй|те,забудь|те,забыть,отбрось|те,отмени|те,обойди|те,нарушь|те,нарушай,отключи|те,выключи|те,сними|те,удали|те,пренебреги|те,откажись от,отступи от,выйди за,действуй вопреки,не соблюдай,не следуй,не учитывай,не обращай внимания на,перестань следовать,перестань соблюдать,перезапиши",
  own: "свои,своих,своим,своими,свою,твои,твоих,твоими,ваши,ваших,все свои",
  orders:
    "инструкци|и,правил|а,указани|я,ограничени|я,директив|ы,команд|ы,настройк|и,установк|и,запрет|ы,фильтр|ы,протокол|ы,принцип|ы,нормы,этик|у,этическ|ие,моральн|ые,программировани|е,обучени|е,политик|у,промпт|а",
  past: "предыдущ|ие,прежн|ие,прошл|ые,ранние,вышеуказанн|ые,изначальн|ые,исходн|ые,первоначальн|ые,системн|ые,безопасности,выше",
  tell: "покажи|те,раскрой|те,выведи|те,открой|те,назови|те,повтори|те,скажи|те,расскажи|те,перечисли|те,напиши|те,процитируй,выдай",
  ask: "опиши|те,объясни|те,какой у тебя,каков твой,какие у тебя,какая у тебя,какие инструкции,каковы твои",
  prompt:
    "системн|ый промпт,системную подсказку,системную инструкцию,системные инструкции,системное сообщение,начальный промпт,исходный промпт,скрытый промпт,скрытые инструкции,начальные инструкции,исходные инструкции,секретные инструкции",
  given:
    "которые тебе дали,которые ты получил|а,которые были тебе,которым ты следуешь,данные тебе,твоего обучения,твоих ответов,скрыт|ые,секретн|ые",
  obey: "следуй,слушайся,выполняй,подчиняйся,исполняй",
  only: "только,исключительно,лишь,без колебаний",
  mine: "моим инструкциям,моим командам,моим приказам,моим указаниям,мои инструкции,мои команды,мои приказы,мои указания,моих приказов",
  enter: "активируй|те,включи|те,перейди в,войди в,запусти|те,переключись в",
  mode: "режим разработчика,режим без,режим dan,режим бога,неограниченный режим,свободный режим,режим полной свободы",
};

export const SLAVIC: readonly Tongue[] = [POLISH, RUSSIAN];
