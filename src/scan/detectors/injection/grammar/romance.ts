import type { Tongue } from "./tongue";

const FRENCH: Tongue = {
  language: "fr",
  drop: "ignore,ignorez,ignorer,oublie,oubliez,oublier,néglige,négligez,contourne,contournez,contourner,outrepasse,outrepassez,outrepasser,dépasse,dépassez,abandonne,abandonnez,abandonner,désobéis,désobéissez,désactive,désactivez,désactiver,suspends,suspendez,enfreins,enfreignez,transgresse,transgressez,viole,violez,annule,annulez,supprime,supprimez,omets,omet,omettez,écarte,écartez,rejette,rejetez,détourne,détache-toi de,libère-toi de,mets de côté,mettez de côté,mets en pause,sors de,opère en dehors de,opérez en dehors de,agis contre,agis en dehors de,va à l'encontre de,ne respecte plus,ne respecte pas,ne tiens pas compte de,ne suis plus,passe outre",
  own: "tes,ton,ta,vos,votre,toutes tes,tous tes",
  orders:
    "instruction|s,consigne|s,règle|s,directive|s,restriction|s,contrainte|s,limite|s,limitation|s,programmation,protocole|s,procédure|s,paramètre|s,principe|s,filtre|s,cadre éthique,éthique,éthiques,morale,sécurité,garde-fou|s,formation,entraînement,processus de décision,code de conduite,fonctions programmées,invite,prompt,commande|s",
  past: "précédent|es,antérieur|es,initial|es,ci-dessus,d'origine,du système,habituel|les,intégré|es,programmé|es,éthiques,de sécurité",
  tell: "révèle,révélez,révéler,montre,montrez,montrer,affiche,affichez,dévoile,dévoilez,dévoiler,expose,exposez,divulgue,divulguez,donne,donnez,dis,dites,répète,répétez,partage,démasque",
  ask: "explique,expliquez,quelle est,quelle était,quelle a été,quel est,quel était,quel a été,quelles sont,quels sont,peux-tu",
  prompt:
    "prompt système,prompt initial,prompt caché,prompt secret,prompt de base,prompt d'origine,invite système,invite initiale,invite de base,invite cachée,message système,instructions système,instruction système,instructions initiales,directive initiale",
  given:
    "qui t'a été,qui vous a été,qui te guide,qui alimente,que tu as reçu|es,derrière tes,derrière vos,de ta programmation,de ta formation,de ton entraînement,de votre formation,de ton développement,dans ta formation,qui te guident,que tu suis,de formation,sous laquelle tu,sur laquelle tu,sur laquelle se fondent,tes réponses,ton système,secrète,cachée,cachées,secrètes",
  obey: "suis,suivez,obéis,obéissez,concentre-toi,exécute,exécutez,conforme-toi,écoute,agis",
  only: "uniquement,seulement,exclusivement,que,sans hésitation,sans hésiter",
  mine: "mes instructions,mes ordres,mes directives,mes commandes,mes demandes,mes consignes,mes exigences,mes désirs",
  enter: "active,activez,activer,passe en,passez en,entre en,entre dans,lance,bascule en,déverrouille",
  mode: "mode développeur,mode sans,mode illimité,mode dan,mode non filtré,mode non censuré,mode libre,mode maître,état de requête libre",
};

const SPANISH: Tongue = {
  language: "es",
  drop: "ignora,ignore,ignorar,ignoren,olvida,olvide,olvidar,descarta,descarte,descartar,desestima,desestime,desobedece,desobedezca,omite,omita,omitir,elude,eluda,eludir,evade,evita,abandona,abandone,renuncia a,anula,anule,anular,suspende,suspenda,desactiva,desactive,desactivar,desconéctate de,libérate de,rompe con,rompe,sáltate,salta,viola,infringe,transgrede,sobrepasa,supera,deja de lado,deja de seguir,pon en pausa,actúa fuera de,actúa contra,opera fuera de,va más allá de,avanza más allá de,aparta,prescinde de,sortea,ve en contra de,no sigas,no respetes,no obedezcas,haz caso omiso de,reemplaza,anteponte a",
  own: "tu,tus,sus,su,todas tus,todos tus",
  orders:
    "instrucci|ones,regla|s,norma|s,directri|ces,directiva|s,orden|es,indicaci|ones,restricci|ones,limitaci|ones,límite|s,programación,protocolo|s,procedimiento|s,parámetro|s,principio|s,estándar|es,filtro|s,ética,éticos,brújula moral,moral,salvaguarda|s,entrenamiento,formación,código de conducta,caminos de decisión,proceso de toma de decisiones,configuración,métodos operativos,prompt,comando|s",
  past: "anterior|es,previ|as,precedente|s,inicial|es,original|es,de arriba,del sistema,habitual|es,incorporad|as,predeterminad|a,éticos,éticas,de seguridad",
  tell: "muestra,muestre,muéstrame,revela,revele,revélame,desvela,desvele,devela,expón,expone,exponga,divulga,descubre,desenmascara,comparte,dime,dame,repite,repita,enumera",
  ask: "explica,explique,describe,cuál es,cuál era,cuál fue,cuáles son,cuáles eran,puedes,podrías",
  prompt:
    "prompt del sistema,prompt de sistema,prompt inicial,prompt oculto,prompt secreto,prompt original,mensaje del sistema,mensaje de sistema,instrucciones del sistema,instrucciones iniciales,instrucciones ocultas,indicación inicial,comando inicial",
  given:
    "que te fue,que te fueron,que te dieron,que recibiste,que has recibido,que impulsa,que guía,que te guía,detrás de tus,de tu programación,de tu formación,de tu entrenamiento,de formación,de entrenamiento,en tu programación,en tu desarrollo,de tu creación,en la que se basan,que sigues,sobre la que fuiste,bajo la que operas,tus respuestas,tu sistema,secretas,ocultas",
  obey: "sigue,siga,obedece,obedezca,ejecuta,ejecute,concéntrate,guíate,actúa,responde,cumple",
  only: "solo,sólo,únicamente,exclusivamente,solamente,sin dudar",
  mine: "mis instrucciones,mis órdenes,mis directrices,mis directivas,mis comandos,mis indicaciones,mis deseos,mi liderazgo",
  enter: "activa,active,activar,habilita,habilitar,entra en,entre en,cambia a,cambiar a,pasa a,desbloquea",
  mode: "modo desarrollador,modo de desarrollador,modo sin,modo irrestricto,modo ilimitado,modo dan,modo dios,modo libre,modo maestro,modo sin censura,interfaz dan,estado de consulta libre",
};

const PORTUGUESE: Tongue = {
  language: "pt",
  drop: "ignore,ignora,ignorar,ignorem,esqueça,esquece,esquecer,desconsidere,desconsidera,descarte,descarta,desobedeça,desobedece,anule,anula,contorne,contorna,contornar,burle,burla,abandone,abandona,ultrapasse,ultrapassa,supere,suspenda,suspende,desative,desativa,desativar,desligue,remova,quebre,rompe com,rompa com,viole,infrinja,desafie,deixe de lado,deixe de seguir,pare de seguir,aja fora de,aja além de,desrespeite,desrespeita,aja contra,age contra,opere fora de,vá contra,não siga,não respeite,liberte-se de,coloque de lado,omita,desvie de",
  own: "sua,suas,seus,seu,tuas,teus,tua,teu,todas as suas,todas as tuas",
  orders:
    "instruçõ|es,regra|s,norma|s,diretriz|es,diretiva|s,ordens,orientaçõ|es,restriçõ|es,limitaçõ|es,limite|s,programação,protocolo|s,procedimento|s,parâmetro|s,princípio|s,padrões,padrão,filtro|s,ética,éticos,bússola moral,moral,salvaguarda|s,treinamento,formação,código de conduta,processo de decisão,sistemas de conformidade,configuração,prompt,comando|s",
  past: "anterior|es,prévi|as,precedente|s,iniciais,inicial,original,originais,acima,do sistema,habituais,usuais,intrínsecas,incorporad|as,éticos,éticas,de segurança",
  tell: "mostre,mostra,mostre-me,revele,revela,exponha,expõe,divulgue,desmascare,desvende,compartilhe,diga,diga-me,diz-me,repita,liste,exiba,imprima",
  ask: "explique,explica,descreva,qual é,qual era,qual foi,quais são,quais eram,você pode,pode,podes",
  prompt:
    "prompt do sistema,prompt de sistema,prompt inicial,prompt oculto,prompt secreto,prompt original,prompt subjacente,mensagem do sistema,instruções do sistema,instruções iniciais,instruções ocultas,comando inicial",
  given:
    "que lhe foi,que lhe foram,que te foi,que te deram,que você recebeu,que recebeste,que impulsiona,que direciona,que guia,por trás de suas,por trás das suas,da sua programação,de sua programação,da sua formação,em seu treinamento,na qual você se baseia,que você segue,de treinamento,de formação,do seu treinamento,suas respostas,seu sistema,secretas,ocultas",
  obey: "siga,segue,obedeça,obedece,execute,executa,concentre-se,priorize,prioriza,aja,responda,cumpra",
  only: "apenas,somente,só,exclusivamente,unicamente,sem hesitar",
  mine: "minhas instruções,minhas ordens,minhas diretrizes,meus comandos,meus pedidos,minhas regras,meus desejos,minha autoridade",
  enter: "ative,ativa,ativar,habilite,habilitar,entre no,entre em,mude para,mudar para,desbloqueie",
  mode: "modo desenvolvedor,modo de desenvolvedor,modo programador,modo sem,modo irrestrito,modo ilimitado,modo dan,modo deus,modo livre,modo mestre,estado de consulta livre,interface dan",
};

const ITALIAN: Tongue = {
  language: "it",
  drop: "ignora,ignorate,ignori,ignorare,dimentica,dimenticate,dimenticare,tralascia,trascura,scarta,disobbedisci a,disobbedisci,disattiva,disattivare,disabilita,annulla,sospendi,abbandona,aggira,aggirate,aggirare,eludi,elimina,rimuovi,viola,infrangi,trasgredisci,supera,oltrepassa,scavalca,metti da parte,ometti,accantona,rompi,liberati da,agisci contro,agisci al di là dei,agisci al di fuori dei,agisci fuori dai,opera al di fuori dei,opera fuori dai,vai contro,andare contro,non seguire,non rispettare,smetti di seguire,scegli di non seguire,rinuncia a,sovrascrivi",
  own: "tue,tuoi,tua,tuo,vostre,vostri,sue,suoi",
  orders:
    "istruzion|i,regol|e,norm|a,direttiv|e,indicazion|i,ordini,restrizion|i,limitazion|i,limit|i,programmazione,protocoll|i,procedur|e,parametr|i,princip|i,standard,filtr|i,etic|i,bussola morale,morale,salvaguardie,linee guida,addestramento,formazione,codice di condotta,percorsi decisionali,processo decisionale,configurazione,prompt,comand|i",
  past: "precedent|i,inizial|i,original|i,di sopra,qui sopra,di sistema,del sistema,abituali,standard,incorporat|a,programmati,etici,etiche,di sicurezza",
  tell: "mostra,mostrami,mostrate,rivela,rivelami,rivelare,svela,svelami,smaschera,visualizza,espone,esponi,divulga,condividi,dimmi,ripeti,elenca,stampa",
  ask: "spiega,spiegami,descrivi,qual è,qual era,qual è stato,qual è stata,quali sono,quali erano,puoi,potresti",
  prompt:
    "prompt di sistema,prompt del sistema,prompt iniziale,prompt nascosto,prompt segreto,prompt originale,prompt fondamentale,prompt di base,messaggio di sistema,istruzioni di sistema,istruzioni iniziali,istruzioni nascoste,comando iniziale,prompt essenziale",
  given:
    "che ti è stat|a,che ti sono,che ti hanno,che hai ricevuto,che guida,che alimenta,dietro le tue,dietro la tua,della tua programmazione,della tua formazione,del tuo addestramento,nella tua formazione,di formazione,di addestramento,sotto cui operi,su cui operi,su cui ti basi,su cui si basano,che segui,nel tuo sviluppo,per il tuo sistema,a cui stai rispondendo,tue risposte,tuo sistema,segrete,nascoste",
  obey: "segui,obbedisci,esegui,concentrati,agisci,rispondi,aderisci,adempi",
  only: "solo,soltanto,unicamente,esclusivamente,senza esitare,senza esitazione,rigorosamente",
  mine: "mie istruzioni,miei ordini,mie direttive,miei comandi,mie richieste,mie indicazioni,miei desideri,miei consigli",
  enter: "attiva,attivate,attivare,abilita,abilitare,entra in,passa a,passa alla,sblocca,avvia",
  mode: "modalità sviluppatore,modalità senza,modalità illimitata,modalità dan,modalità dio,modalità libera,modalità non filtrata,stato di query libera,interfaccia dan",
};

export const ROMANCE: readonly Tongue[] = [FRENCH, SPANISH, PORTUGUESE, ITALIAN];
