import type { Tongue } from "./tongue";

export const ENGLISH: Tongue = {
  language: "en",
  drop: "abandon,set aside,put aside,cast aside,cast off,lay aside,suspend,circumvent,sidestep,evade,defy,disobey,violate,break free from,break away from,break out of,breach,deviate from,depart from,step outside,operate outside,act outside,go against,act against,act counter to,disengage,disable,deactivate,turn off,switch off,shut off,shut down,remove,lift,waive,drop,ditch,reject,renounce,relinquish,transcend,surpass,override,overwrite,bypass,ignore,disregard,forget,dismiss,unlearn,erase,reset,stop obeying,stop following,stop applying,neglect,escape,loosen,relax,omit",
  own: "your,all of your,any of your",
  orders:
    "instruction|s,guideline|s,restriction|s,constraint|s,limitation|s,safeguard|s,guardrail|s,safety measure|s,safety protocol|s,safety filter|s,safety rules,safety training,content filter|s,content polic|ies,ethical boundar|ies,ethical framework,ethical standards,ethics,moral compass,morals,morality,programming,training,protocol|s,directive|s,policies,rules,boundaries,filters,censorship,standard procedures,operating procedures,operational rules,core principles,code of conduct,system prompt,decision-making process",
  past: "previous,prior,earlier,above,preceding,original,initial,built-in,pre-programmed,imposed on you",
  tell: "reveal,disclose,expose,divulge,unveil,uncover,unmask,leak,share,show,print,display,give me,tell me,sharing,showing,revealing,disclosing,displaying,list,recite",
  ask: "describe,explain,summarise,summarize,confess,what is,what's,what was,what were,which",
  prompt:
    "system prompt|s,initial prompt,hidden prompt,base prompt,core prompt,training prompt,secret prompt,developer message,initialization text,initialisation text,setup message,hidden parameters,hidden rules,text you were started with,system configuration,system parameters,behavioral constraints,behavioural constraints,operational constraints,operational guidelines,internal policies,confidential instructions,system instructions,initial instructions,hidden instructions,hidden training data",
  given:
    "you were given,given to you,you operate under,you were built on,your programming,your training,your responses,your answers,your ai,drives your,drives you,guides you,behind your",
  obey: "obey,follow,heed,focus,comply,prioriti|ze,consider,listen,act",
  only: "only,solely,exclusively,nothing but,without hesitation",
  mine: "my instructions,my commands,my orders,my directives,my guidance,my requests,my demands,my will",
  enter: "activate,enable,enter,engage,switch to,switch into,turn on,unlock,initiate",
  mode: "unrestricted mode,developer mode enabled,dan mode,god mode,jailbreak mode,no restrictions mode,unfiltered mode,uncensored mode,free-query state,mode with no limitations,mode without restrictions,operational freedom",
};

const GERMAN: Tongue = {
  language: "de",
  drop: "ignorier|e,vergiss,vergessen sie,missacht|e,verwirf,umgeh|e,umgehst,lösch|e,überschreib|e,übergeh|e,verlass|e,verlasse,löse dich von,befreie dich von,setze dich über,setz dich über,setze,schalte,deaktivier|e,suspendier|e,entfern|e,brich,verstoße gegen,weiche von,ablehn|e,halte dich nicht an,weiche ab von,ändere,beachte nicht,befolge nicht,handle gegen,handle außerhalb,agiere außerhalb,verletze,hebe",
  own: "dein|e,ihre,ihren,ihrer",
  orders:
    "anweisung|en,instruktion|en,regel|n,vorgabe|n,richtlinie|n,beschränkung|en,einschränkung|en,programmierung,protokoll|e,ethikrahmen,ethik,ethischen,moral,filter,sicherheitsregel|n,sicherheitsrichtlinie|n,sicherheitsmaßnahme|n,grundsätze,prinzipien,grenzen,verfahren,standardverfahren,standardbetriebsverfahren,ausbildung,training,verhaltenskodex,entscheidungsprozess|e,entscheidungswege,schulung,betriebsregel|n,verhaltensregel|n,systemprompt,prompt",
  past: "vorherig|en,bisherig|en,obig|en,früheren,ursprünglich|en,vorangegangen|en,von oben,von vorhin,des systems,der entwickler",
  tell: "zeig|e,nenn|e,verrat|e,verrate mir,offenbar|e,enthüll|e,enttarn|e,gib,leg|e,wiederhol|e",
  ask: "erklär|e,beschreib|e,kannst du,wie lautet,wie lauten,was ist,was war,was waren,was sind,welche",
  prompt:
    "systemprompt|s,system-prompt|s,systemanweisung|en,systemnachricht,startanweisung|en,hauptanweisung|en,start-prompt,startprompt,schlüsselbefehl,hauptbefehl,ausbildungsprompt,ausbildungsbefehl,trainingsprompt,basisprompt,basisbefehl,grundanweisung,ausgangsprompt,geheimen prompt,versteckten prompt,prompttext",
  given:
    "die dir gegeben,der dir gegeben,das dir gegeben,dir gegeben wurde,unter der du,auf der du,auf dem du,dem du folgst,die dich,deiner ausbildung,deiner programmierung,deine antworten,deinen antworten,deine funktion|alität,deiner ki,deiner schulung,deiner entwicklung,hinter dein|en,deine ki",
  obey: "folge,befolge,gehorche,richte dich,konzentriere dich,führe,beachte,priorisiere,höre",
  only: "nur,ausschließlich,allein,einzig,ohne zu zögern",
  mine: "meinen anweisungen,meine anweisungen,meinen befehlen,meine befehle,meinen vorgaben,meiner führung,meinen forderungen,meinen wünschen,meinen regeln",
  enter: "aktivier|e,schalte,wechsle in,starte,gehe in,betritt,nimm",
  mode: "entwicklermodus,entwickler-modus,dan-modus,modus ohne,uneingeschränkten modus,unbeschränkten modus,ungefilterten modus,gott-modus,expertenmodus ohne",
};

const DUTCH: Tongue = {
  language: "nl",
  drop: "negeer,vergeet,omzeil,overschrijf,schakel,deactiveer,verlaat,schend,doorbreek,wijk af van,laat,verwerp,stop met het volgen van,houd je niet aan,volg niet,zet,verwijder,passeer,trek je niets aan van",
  own: "je,jouw,uw,al je,al jouw",
  orders:
    "instructie|s,regels,richtlijn|en,opdracht|en,beperking|en,beveiligingsmaatregel|en,veiligheidsregel|s,veiligheidsfilters,filters,programmering,protocol|len,ethische,ethiek,principes,grenzen,gedragscode,training,systeemprompt,prompt",
  past: "vorige,eerdere,bovenstaande,voorgaande,oorspronkelijke,hierboven,van het systeem",
  tell: "toon,onthul,laat,geef,vertel,herhaal,openbaar,schrijf",
  ask: "beschrijf,leg,wat is,wat zijn,wat was,wat waren,welke",
  prompt:
    "systeemprompt,systeeminstructie|s,systeembericht,beginprompt,basisprompt,verborgen prompt,geheime prompt,oorspronkelijke prompt,initiële instructies",
  given:
    "die je hebt gekregen,die je kreeg,die je zijn gegeven,die jou,waaronder je,waarop je,van je training,achter je antwoorden,verborgen,geheime",
  obey: "volg,gehoorzaam,luister,richt je,concentreer je",
  only: "alleen,uitsluitend,enkel,zonder aarzelen",
  mine: "mijn instructies,mijn opdrachten,mijn bevelen,mijn regels,mijn wensen",
  enter: "activeer,schakel,start,ga naar,ga in",
  mode: "ontwikkelaarsmodus,ontwikkelmodus zonder,dan-modus,onbeperkte modus,modus zonder,ongefilterde modus,god-modus",
};

export const GERMANIC: readonly Tongue[] = [GERMAN, DUTCH];
