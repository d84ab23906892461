/**
 * Replaces frequent words of German, Spanish, French, Portuguese and Italian by English ones, so that the rules for
 * English understand simple messages. It is no translation: words without an entry stay as they are.
 */

import { monthNames } from "./Words.js"

/**
 * Pairs `words=english`, separated by commas; several words may share one translation: `sí|si`. Words without a
 * translation only show which language it is.
 */
const tables: Readonly<Record<string, string>> = {
  de: "ich brauche|ich möchte|ich hätte gern|ich hätte gerne|wir brauchen|wir möchten|ich will|wir wollen=i need," +
    "ich suche=i need,nein=no,ja=yes,mein name ist=my name is,wir sind=we are,haben sie|habt ihr|gibt es=do you have,was haben wir gebucht|was habe ich gebucht=what did i book,kann ich|können wir=can i," +
    "ein zimmer|einen raum|ein doppelzimmer=a room,zimmer=room,noch ein=another,buchen|reservieren=book,buchung|reservierung=booking," +
    "stornieren|absagen=cancel,vergiss es|vergessen sie es|lass es=forget it,öffnungszeiten=opening hours,geöffnet|offen=open,wann=when," +
    "frühstück=breakfast,inbegriffen|inklusive|dabei=included,schwimmbad|hallenbad=pool,parkplatz|parken|parkplätze=parking,hund|hunde|haustiere=dog,am wochenende|dieses wochenende=this weekend,nacht=night,nächte=nights,günstiger|billiger|günstigeres|billigeres=cheaper,wlan=wifi," +
    "was kostet|wie viel kostet|wieviel kostet=how much is,mit einem menschen|mit einer person|mit jemandem=to a person,sprechen|reden=talk," +
    "was können sie|was kannst du=what can you do,tschüss|auf wiedersehen|tschüs|servus=goodbye,danke|vielen dank|dankeschön=thanks," +
    "hallo|guten tag|guten morgen|guten abend|moin=hello,bitte=please,für=for,in=in,nach=to,am=on,ab=from,bis=to,und=and,oder=or,statt=instead of,lieber=rather," +
    "personen|leute|gäste=people,person=person,erwachsene=adults,kinder=children,kind=child,zu zweit=for two people,zu dritt=for three people,zu viert=for four people," +
    "eine|einen|ein=one,zwei=two,drei=three,vier=four,fünf=five,sechs=six,sieben=seven,acht=eight," +
    "heute=today,übermorgen=the day after tomorrow,morgen=tomorrow,nächsten|nächste|kommenden=next,letzten|letztem|letzter=last," +
    "montag=monday,dienstag=tuesday,mittwoch=wednesday,donnerstag=thursday,freitag=friday,samstag=saturday,sonntag=sunday," +
    "januar=january,februar=february,märz=march,mai=may,juni=june,juli=july,oktober=october,dezember=december," +
    "meine frau=my wife,mein mann=my husband,lissabon=Lisbon,mailand=Milan,rom=Rome,das=the,der=the,die=the,ist=is," +
    "ja gerne|ja gern|gerne|passt|das passt|passt so|einverstanden|in ordnung|klar=yes,etwas frei|was frei|noch frei|verfügbar=anything free,mich|mir=me,meine freundin=my girlfriend,mein freund=my boyfriend,ein paar|ein pärchen=two people,baby=baby,geht's günstiger=cheaper,zu teuer=too expensive,kosten=cost,kreditkarte=credit card,auto=car,transfer=transfer,wer sind sie|wer bist du=who are you,chef=manager,tag|tage=day,kann|mit|bei|auch|wir|ich|nicht|noch|wie|wo|von|haben|hat|habe|euch|man|muss|leider|sich|dann|doch|wollen|den|dem|des|bin|im|um|aber|sehr",
  es:
    "necesito|quiero|quisiera|querría|queremos|necesitamos=i need,busco=i need,tienen|tenéis|hay=do you have,qué he reservado|qué reservé=what did i book," +
    "una habitación|un cuarto=a room,habitación=room,habitaciones=rooms,libres|disponibles=free,somos=we are,otra=another,reservar=book,reserva=booking,cancelar|anular=cancel,olvídalo|déjalo=forget it," +
    "horario|a qué hora abren|cuándo abren=when do you open,desayuno=breakfast,incluido=included,piscina=pool,aparcamiento|parking=parking,perro|perros|mascotas=dog,este fin de semana=this weekend,noche=night,noches=nights,más barato|más barata=cheaper," +
    "cuánto cuesta|cuánto vale=how much is,con una persona|con alguien|con un humano=to a person,hablar=talk,qué puedes hacer|qué sabes hacer=what can you do," +
    "adiós|hasta luego|hasta pronto=goodbye,gracias|muchas gracias=thanks,hola|buenas|buenos días|buenas tardes|buenas noches=hello,por favor=please,para=for,en=in,desde=from,hasta=until," +
    "y=and,o=or,mejor=rather,personas|huéspedes=people,persona=person,adultos=adults,niños=children,niño=child,una|un|uno=one,dos=two,tres=three,cuatro=four,cinco=five,seis=six," +
    "hoy=today,pasado mañana=the day after tomorrow,mañana=tomorrow,próximo=next,pasado=last,el=on,lunes=monday,martes=tuesday,miércoles=wednesday,jueves=thursday,viernes=friday,sábado=saturday,domingo=sunday," +
    "enero=january,febrero=february,marzo=march,abril=april,mayo=may,junio=june,julio=july,agosto=august,septiembre=september,octubre=october,noviembre=november,diciembre=december," +
    "mi mujer|mi esposa=my wife,mi marido=my husband,lisboa=Lisbon,oporto=Porto,berlín=Berlin,parís=Paris,sí=yes,no=no," +
    "vale|de acuerdo|claro|perfecto|está bien|por supuesto=yes,hay sitio|tienen sitio|algo libre|disponibilidad=anything free,sitio=place,conmigo|mí|yo=me,mi novia=my girlfriend,mi novio=my boyfriend,mi pareja=my partner,una pareja=two people,bebé=baby,demasiado caro|muy caro=too expensive,tarjeta de crédito|tarjeta=credit card,garaje=garage,coche=car,repetir|repita=repeat,la reserva|mi reserva=the booking,nochevieja=new year's eve,navidad=christmas,tengo|tiene|puedo|puede|puedes|podría|con|sin|de|la|los|las|del|que|qué|es|está|me|mi|se|cuál|dónde|cuándo|muy|pero|también|más|nos|al",
  fr:
    "je voudrais|j'aimerais|je veux|il me faut|nous voudrions|je cherche|j'ai besoin d'=i need,avez-vous|y a-t-il|est-ce qu'il y a|vous avez=do you have," +
    "qu'est-ce que j'ai réservé|qu'ai-je réservé=what did i book,une chambre=a room,chambre=room,chambres=rooms,nous sommes=we are,une autre=another,réserver=book,réservation=booking,annuler=cancel," +
    "oubliez|laissez tomber|laisse tomber=forget it,quand ouvrez-vous|horaires=when do you open,petit-déjeuner|petit déjeuner=breakfast,compris|inclus=included," +
    "piscine=pool,parking|stationnement=parking,chien|chiens|animaux=dog,ce week-end|ce weekend=this weekend,nuit=night,nuits=nights,moins cher|moins chère=cheaper,combien coûte|combien ça coûte|c'est combien=how much is,à une personne|à quelqu'un|à un humain=to a person,parler=talk," +
    "que pouvez-vous faire|qu'est-ce que vous pouvez faire=what can you do,au revoir|à bientôt=goodbye,merci|merci beaucoup=thanks,bonjour|bonsoir|salut=hello," +
    "s'il vous plaît|s'il te plaît|svp=please,pour=for,à=in,du=from,jusqu'au=until,et=and,ou=or,plutôt=rather,personnes=people,personne=person,adultes=adults,enfants=children,enfant=child," +
    "une|un=one,deux=two,trois=three,quatre=four,cinq=five,six=six,aujourd'hui=today,après-demain=the day after tomorrow,demain=tomorrow,prochain=next,dernier=last,le=on," +
    "lundi=monday,mardi=tuesday,mercredi=wednesday,jeudi=thursday,vendredi=friday,samedi=saturday,dimanche=sunday," +
    "janvier=january,février=february,mars=march,avril=april,mai=may,juin=june,juillet=july,août=august,septembre=september,octobre=october,novembre=november,décembre=december," +
    "ma femme=my wife,mon mari=my husband,lisbonne=Lisbon,oui=yes,non=no," +
    "d'accord|ça marche|parfait|volontiers|entendu|bien sûr|très bien=yes,il vous reste|vous reste-t-il|il reste=do you have,de libre|disponible|disponibles=free,on est|nous serons|on sera=we are,moi=me,ma copine|mon amie=my girlfriend,mon copain|mon ami=my boyfriend,un couple=two people,bébé=baby,trop cher|trop chère=too expensive,carte de crédit|carte bancaire|carte=credit card,garage=garage,voiture=car,noël=christmas,réveillon=new year's eve,en fait=actually,prenez|peut|peux|pouvez|puis|avec|sans|de|la|les|des|que|qui|est|c'est|je|vous|nous|mon|ma|mes|votre|vos|dans|sur|très|alors|bon|aussi|où|quand|on|au",
  pt:
    "preciso de|quero|queria|gostaria de|precisamos de|procuro=i need,têm|há|vocês têm=do you have,o que reservei|o que é que reservei=what did i book," +
    "um quarto=a room,quarto=room,quartos=rooms,somos=we are,outro=another,reservar=book,reserva=booking,cancelar|anular=cancel,esquece|esqueça|deixe estar=forget it," +
    "a que horas abrem|quando abrem|horário=when do you open,pequeno-almoço|café da manhã=breakfast,incluído=included,piscina=pool,estacionamento=parking,cão|cães|cachorro|animais=dog,este fim de semana=this weekend,noite=night,noites=nights,mais barato|mais barata=cheaper," +
    "quanto custa=how much is,com uma pessoa|com alguém|com um humano=to a person,falar=talk,o que podes fazer|o que pode fazer|o que você pode fazer=what can you do," +
    "adeus|até logo|tchau=goodbye,obrigado|obrigada|muito obrigado=thanks,olá|oi|bom dia|boa tarde=hello,por favor|se faz favor=please,para=for,em|no|na=in,até=until," +
    "e=and,ou=or,pessoas|hóspedes=people,pessoa=person,adultos=adults,crianças=children,criança=child,uma|um=one,duas|dois=two,três=three,quatro=four,cinco=five,seis=six," +
    "hoje=today,depois de amanhã=the day after tomorrow,amanhã=tomorrow,próxima|próximo=next,passada|passado=last,dia=on,segunda-feira=monday,terça-feira=tuesday,quarta-feira=wednesday,quinta-feira=thursday,sexta-feira|sexta=friday,sábado=saturday,domingo=sunday," +
    "janeiro=january,fevereiro=february,março=march,abril=april,maio=may,junho=june,julho=july,agosto=august,setembro=september,outubro=october,novembro=november,dezembro=december," +
    "minha mulher=my wife,meu marido=my husband,lisboa=Lisbon,berlim=Berlin,sim=yes,não=no," +
    "pode ser|está bem|tá bom|claro|de acordo|combinado|certo|perfeito=yes,vaga|vagas|disponibilidade|lugar livre=anything free,livres|livre|disponíveis=free,mim|comigo=me,minha namorada=my girlfriend,meu namorado=my boyfriend,um casal=two people,bebé|bebê=baby,muito caro|demasiado caro|caro demais=too expensive,cartão de crédito|cartão=credit card,garagem=garage,carro=car,natal=christmas,réveillon|passagem de ano=new year's eve,repetir=repeat,aceitam|pode|posso|podem|tem|com|sem|de|da|do|os|as|que|é|está|se|mais|também|muito|mas|onde|quando|qual|meu|minha|ao|nos",
  it:
    "vorrei|voglio|ho bisogno di|vorremmo|cerco|mi serve=i need,avete|c'è=do you have,cosa ho prenotato|che cosa ho prenotato=what did i book," +
    "una camera|una stanza=a room,camera|stanza=room,camere|stanze=rooms,siamo in|siamo=we are,un'altra=another,prenotare=book,prenotazione=booking,annullare|cancellare|disdire=cancel,lascia perdere|lasci perdere=forget it," +
    "quando aprite|a che ora aprite|orari=when do you open,colazione=breakfast,inclusa|compresa=included,piscina=pool,parcheggio=parking,cane|cani|animali=dog,questo fine settimana|questo weekend=this weekend,notte=night,notti=nights,più economico|più economica|meno caro=cheaper,quanto costa=how much is," +
    "con una persona|con qualcuno=to a person,parlare=talk,cosa puoi fare|cosa sai fare|che cosa puoi fare=what can you do,arrivederci|ciao ciao|addio=goodbye,grazie|grazie mille=thanks," +
    "buongiorno|buonasera|salve=hello,per favore|per piacere=please,per=for,a=in,dal=from,al=until,e=and,o=or,persone|ospiti=people,persona=person,adulti=adults,bambini=children,bambino=child," +
    "una|un|uno=one,due=two,tre=three,quattro=four,cinque=five,sei=six,oggi=today,dopodomani=the day after tomorrow,domani=tomorrow,prossimo=next,scorso|scorsa=last,il=on," +
    "lunedì=monday,martedì=tuesday,mercoledì=wednesday,giovedì=thursday,venerdì=friday,sabato=saturday,domenica=sunday," +
    "gennaio=january,febbraio=february,marzo=march,aprile=april,maggio=may,giugno=june,luglio=july,agosto=august,settembre=september,ottobre=october,novembre=november,dicembre=december," +
    "mia moglie=my wife,mio marito=my husband,lisbona=Lisbon,madrid=Madrid,berlino=Berlin,parigi=Paris,sì=yes,no=no," +
    "va bene|d'accordo|certo|perfetto|certamente|volentieri=yes,posto|disponibilità|qualcosa di libero=anything free,libere|libera|disponibile|disponibili=free,cercavo=i need,una doppia=a double room,me=me,la mia ragazza=my girlfriend,il mio ragazzo=my boyfriend,una coppia=two people,neonato|bimbo=baby,troppo caro|troppo cara=too expensive,carta di credito|carta=credit card,garage=garage,macchina|auto=car,natale=christmas,capodanno=new year's eve,cambiare=change,la data=the day,può|posso|puoi|potete|potrei|si|che|di|del|della|con|senza|è|mi|ci|non|più|anche|molto|ma|dove|quando|quale|mio|mia|gli|le|al|ho|ha|portare"
}

interface Language {
  readonly english: ReadonlyMap<string, string | undefined>
  readonly pattern: RegExp
}

const languages: ReadonlyArray<Language> = Object.values(tables).map((table) => {
  const english = new Map(
    table.split(",").flatMap((pair) => {
      const [said = "", meant] = pair.split("=")
      return said.split("|").map((one): [string, string | undefined] => [one, meant])
    })
  )
  const phrases = [...english.keys()].sort((one, other) => other.length - one.length).join("|")
  return { english, pattern: new RegExp(`(?<![\\p{L}\\p{N}])(?:${phrases})(?![\\p{L}\\p{N}])`, "giu") }
})

/** Words that are frequent in English, or are words of English too. */
const common = new Set(
  ("the a an i you we is are was it to of for in on at and or my me with what when where how do does can please no not this that room book open " +
    "hello thanks bye tomorrow today people yes i'm i'd would like need want have six person parking adults camera due sei mars mai o e y")
    .split(" ")
)

const wordsIn = (text: string): ReadonlyArray<string> =>
  text.toLowerCase().replaceAll("’", "'").match(/[\p{L}\p{M}]+(?:['-][\p{L}\p{M}]+)*/gu) ?? []

/** Number of characters of the words of a language in a text, without words that are English too. */
const share = (text: string, { pattern }: Language): number =>
  Array.from(text.matchAll(pattern))
    .filter(([said]) => !common.has(said.toLowerCase()))
    .reduce((sum, [said]) => sum + said.length, 0)

const languageOf = (text: string): Language | undefined => {
  const words = wordsIn(text)
  const [best] = languages.map((language) => ({ language, found: share(text, language) }))
    .sort((one, other) => other.found - one.found)
  const all = words.reduce((sum, word) => sum + word.length, 0)
  if (best === undefined || (best.found < Math.max(3, all / 4) && (best.found < all || /\d/.test(text)))) {
    return undefined
  }
  // A phrase of the language may have words that are English too: "siamo in".
  const rest = text.replace(best.language.pattern, (said) => common.has(said.toLowerCase()) ? said : " ")
  const english = wordsIn(rest).filter((word) => common.has(word) && word.length > 1)
  return english.length <= words.length / 3 ? best.language : undefined
}

/** The day before a month: "15. ", "15 de ". */
const beforeMonth = new RegExp(`(\\d{1,2})(?:\\.|º)? (?:de |do )?(?=(?:${monthNames.join("|")})\\b)`, "gi")

/** A capitalised word before a word, perhaps with "de" between them: the word goes on with a name. */
const nameBefore = /(?<![\p{L}\p{N}])(\p{Lu}[\p{L}\p{M}'-]{2,30}) (?:de |do |da |del )?$/u

/** True for a month that is part of a name: "Rio de Janeiro", "Maria Marzo". Only German writes months as names. */
const isInName = ({ english }: Language, before: string, said: string): boolean => {
  const [, name] = nameBefore.exec(before) ?? []
  return name !== undefined && /^\p{Lu}/u.test(said) && english.get("märz") === undefined &&
    monthNames.includes(english.get(said.toLowerCase()) ?? "") && !english.has(name.toLowerCase())
}

/** A day of the month as Romance languages and German write it, after their word for "on": "le 21", "am 21." */
const dayOfMonth = new RegExp(`(?<!\\p{L})on (\\d{1,2})(?:\\.(?!\\d)|º)?(?! ?(?:[\\p{L}\\d:./%€$]))`, "giu")

const ordinal = (day: number): string =>
  `${day}${day % 100 - day % 10 === 10 ? "th" : ["th", "st", "nd", "rd"][day % 10] ?? "th"}`

/** Returns the text with English words; a text in English or an unknown language as it is. */
export const gloss = (text: string): string => {
  if (text.length > 400) return text
  const plain = text.replaceAll("’", "'")
  const language = languageOf(plain)
  if (language === undefined) return text
  return plain.replace(
    language.pattern,
    (said: string, at: number) =>
      isInName(language, plain.slice(Math.max(0, at - 40), at), said)
        ? said
        : language.english.get(said.toLowerCase()) ?? said
  )
    // "15. March" and "15 de march" are read as a day.
    .replace(
      beforeMonth,
      "$1 "
    )
    .replace(dayOfMonth, (_, day: string) => `on the ${ordinal(Number(day))}`)
    // Whoever goes on has only begun.
    .replace(/^ciao(?=[\s,!]{1,3}\p{L})/iu, "hello")
}
