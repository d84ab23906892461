/** English answers. */
import type { Language } from "./ConsentLanguage.js"

const very =
  "[all|just|very|so|much|even|really|quite|perfectly|absolutely|totally|completely|exactly|entirely|also good and]"
const good =
  "{right|correct|fine|good|great|perfect|ok|okay|alright|all right|acceptable|wonderful|lovely|excellent|ideal|accurate|agreeable|in order|awesome|amazing|fantastic|brilliant|nice|generous|kind|reasonable|fair|enough|sufficient|suitable|better|best}"
const tome = "[to me|for me|with me|by me]"
const facts =
  "{details|information|info|items|changes|summary|numbers|amounts|specifics|terms|choices|options|details above|details you provided|details you listed|details you mentioned}"
const price =
  "[additional|total|extra|new|final] {cost|costs|price|fee|fees|charge|charges|amount|difference|price difference|total|terms}"
const your = "[all] [of] [your|the|this|that] [kind|great|quick|wonderful|excellent]"
const help =
  "{help|helping|helping me|assistance|assisting|assisting me|support|patience|time|service|understanding|cooperation|efforts|effort|clarification|clarifying|explaining|confirming|information|update|response|kindness|checking|handling this|looking into this|taking care of this|making this easy|the details|work}"

export const english: Language = {
  code: "en",
  agrees:
    `yes, yeah, yep, yup, yea, yess, ya, yes {sir|ma'am}, aye, y, yes indeed, yes of course, so be it, sure, sure thing, sure why not, you do, {that|it} would help [me] [a lot], {is|are} worth it, for sure, ok, okay, okey, k, kk, alright, all right, alrighty,
    right, correct, exactly, absolutely, definitely, certainly, of course, for certain, acceptable, fine, perfect, confirmed, approved, accepted, affirmative, indeed, lgtm, agreed, [yes] you {understand|understood|have understood|got} [me|it|that] {correctly|right},
    agree, confirm, approve, accept, [yes] i [do|can|hereby|explicitly|fully|also|totally|completely|will|would like to|want to] {agree|consent|confirm|accept|approve|authorize|authorise} [it|this|that|to this|to that|to it|with this|with that|everything], i'll accept, i'd like to confirm, i confirm that, i agree [to|with] the terms,
    go [right|straight] ahead [and|with], go on, go for it, [just|please] do {it|that|so|this}, please do, {proceed|continue} [with|to], carry on, move {forward|ahead} [with],
    {sounds|looks|look|sound|seems|works} ${very} ${good} ${tome}, {is|are|would be|will be} ${very} ${good} ${tome}, [yes] {that|it|this|everything|all|all of it|all of that|all of this|it all|that all|they|they all|those|these|which|that one|this one|both|both of them} {is|looks|sounds|seems|are|look|sound|works|would be} ${very} ${good} ${tome},
    {that's|thats|it's|everything's|all's|they're|that'd be|that'll be|it'd be} ${very} ${good} ${tome}, that matches {what i wanted|what i want|what i asked for|my request}, {works|work|suits|suit} [me|perfectly|well|great] [for me], everything {you listed|you said|you mentioned|you described|above|listed|listed above|mentioned} {is|looks|sounds} ${very} ${good}, [all|everything] [of] the above {is|looks|sounds} ${very} ${good}, {that|this|it|which|everything|all of that} [all] {works|would work|will work|suits me|will do} ${very} [well|great|perfect|perfectly|fine] [for me], that'll do, that'll work,
    [perfectly|totally|absolutely|completely] fine, {fine|ok|okay} {with|by} me, all ${good}, all set, good to go, very well, happy with that, by all means, roger that, ship it, you bet,
    make it {so|happen}, {let's|lets} {do it|do that|do this|do so|go|proceed|go ahead|continue|go with that|go with it} [and|with], you have my {permission|ok|approval|consent|confirmation|go-ahead|authorization|agreement},
    {i'm|i am|im} [very|all|totally|completely|perfectly|absolutely] {happy|ok|okay|fine|good|satisfied|comfortable} with {that|this|it|everything|the|those|these|them}, {i'm|i am|im} [very|quite|absolutely|completely] {sure|certain|positive|ready} [to proceed|to go ahead], ready to proceed, i {do|would|am}, i would love {that|to}, {i'd|i would} {like|love|appreciate} {that|this}, i want {that|this}, {it|this|that|which} {fits|suits|matches|meets} [all] [my|our] {plans|plan|schedule|needs|budget|requirements|me|us} ${very} [well|fine],
    {that's|that is|this is|these are|those are|it's} [exactly|precisely|indeed|just] what {i want|i wanted|i need|i'd like|i would like|i asked for|i requested|i'm looking for|i am looking for|i was looking for} [you to do], [that's|that is] exactly what i {want|wanted|need}, {is|are} [exactly|precisely] {what|the one|the ones} i {want|wanted|need|would like}, that {would|will|'d} be {helpful|a great help|much appreciated|appreciated}, that's {it|the plan}, that is {it|the plan}, {that's|that is|this is} the [right|correct] {one|ones} [i want|i'd like|i need|i would like],
    [yes] {the|those|these|this|that|all|all the|all of the|all those|all these|your} ${facts} {are|is|look|looks|sound|sounds|seem} ${very} ${good} ${tome}, ${facts} {are|look} ${very} ${good}, {you|we} {may|can|could} {proceed|go ahead|continue|do that|do so|do it} [and|with]`,
  refuses:
    `no, nope, nah, nay, n, never, no way, not, do not, don't, dont, please don't, please dont, deny, denied, disagree, i disagree, disapprove, reject, rejected, i reject, stop, stop it, never mind,
    nevermind, forget it, forget that, forget about it, leave it, leave it be, leave it alone, leave it as it is, leave it as
    is, leave it like that, leave it there, keep it, keep it as it is, i keep it, i keep both, i want to keep it, i'll keep it, i will keep it, changed
    my mind, i changed my mind, i've changed my mind, i have changed my mind, not now, not yet, not today, not anymore, rather
    not, i'd rather not, i would rather not, absolutely not, of course not, definitely not, certainly not, sure not, hold off, decline, i
    decline, i refuse, refuse, negative, no thanks, no thank you, wrong, that's wrong, that is wrong, are wrong, is wrong, incorrect, that's
    incorrect, abort, abort that, scratch that, drop it, drop that, skip it, skip that, i don't want that, i don't want to, i
    don't want it, don't do it, don't do that, please don't do that, not interested, actually no, wait no, no wait, hmm no, i do not want that, i do not want to, i do not want it, not right, not correct, that's not right, that is not right, that's not correct, that is not correct, isn't right, i'm not interested, i take it back, i mind, i do mind, i object, 👎, ❌,
    🚫, ⛔`,
  beside:
    `please, pls, plz, ty, cheers, so much, very much, a lot, kindly, [and] [many] {thanks|thank you|thx} [again|so much|very much|a lot|a bunch|once again|kindly] [in advance|very much] [today], [and] {thanks|thank you|thx} [again|so much|very much|a lot] for ${your} ${help} [with this|with that|with everything|on this|today|me|so much], and thanks,
    i [really|do|truly|greatly|very much] appreciate {it|this|that|your help|your assistance|your support|your patience|the help|all your help|you helping me} [with this|today|so much|very much], much appreciated, appreciate {it|your help|the help}, for {your|the|all your|all the} {help|assistance}, you've been {very|so|really|most} helpful, {you're|that's|that is} {great|awesome|the best|kind|very kind|kind of you|very kind of you|so kind of you}, great {job|service},
    now, right now, right away, straight away, immediately, asap, as soon as possible, for {me|us|all of us|all of them|everyone}, with {it|that|this}, to {that|this|it}, then, well, so, oh, ah, great, good, awesome, excellent, cool, nice, wonderful, lovely, super,
    brilliant, very good, to me, sorry, no {problem|worries} [at all], sir, madam, [exactly|just] as {described|discussed|stated|planned|mentioned|outlined|listed|requested|specified|shown|summarized}, [as] you {described|listed|mentioned|outlined|stated|provided|specified|summarized|suggested|proposed}, as you said, as you have {described|listed|outlined}, one hundred percent, still, {that's|that is|that will be|that'll be} {all|everything} [for now|for today|i need|i want|i want to change|i wanted|i needed], have a {great|nice|good|lovely|wonderful} day, for me please,
    [and] [with] [the|that|this] ${price} {is|are|sounds|works|looks} ${very} ${good} ${tome}, {i'm|i am} ${very} {ok|okay|fine|happy|good} with [paying] the ${price}, i'll {wait for|look for|watch for} {it|the email}, i {agree to|accept|understand} the ${price}, {i've|i have} {verified|checked|reviewed|double-checked|double checked|confirmed} {everything|it|that|the details|all the details|all of it|them|the information}, {that's|that is} {great|good} news, no {questions|changes}`,
  leads:
    `do, let's, lets, {i|i'd|we|we'd} [do|would|really|definitely|also would|still|just] {want|like|wish|love|prefer|need} [to|you to|you to please|for you to], {that|what} {i|i'd} [would] {want|like|wish} [to|you to], {i'd|i would|i want to} [like to] {take|have|get|use|go with}, {i'd|i would} {like|appreciate|appreciate it} [if you could], {you|you can} {can|may|should|could} [please|just|now], {do|make} {the|this|these|those|that|my},
    process, complete, perform, finalize, finalise, submit, execute, {that's|that is|this is|those are|these are|it's} [indeed|exactly|precisely] {the|my} [right|correct|only], {i want|i'd like|i need|i would like|i wanted|i'm looking for|i have in mind|in mind}, [to] {proceed|go ahead|do that|do so|do this|confirm}, {the|my|this} request, {want|like} me to, would like [me|to] [to], want to, i'll {take|go with}, i {will|would} take, i'd take, i will, i'll, {i|we} {agree|am happy|am ready|am willing|are willing|are ready|have decided} to, {i'm|we're} {happy|ready|willing|glad} to, {i've|we've} decided to, {start|begin|initiate|finish|trigger} {the|this|my|that}, {is|are} the {right|correct}, make both, {make|do} all`,
  explains:
    `because, since, {i|we} [really] {won't|don't|do not|will not|no longer} {need|require} [any], {i|we} {can't|cannot|won't} {make|travel|fly|go|attend|be able}, [and] {thanks|thank you} for, {it|this|that|which} {fits|suits|matches|meets|covers|helps}, {that's|that is|this is} {how|why|where|when}, {i|we} [have|had] {ordered|booked|bought}, {it|this|that} no longer {fits|suits|works|matches}, {i|we} [have] {lost|found}, {it|this|that} {doesn't|does not|didn't} {work|fit|suit|match}, as {i|we|it's|i'm}, my plans, my plan, my trip, i understand, i understand that, i'm aware, i am aware, i know that, that will be, that would be, this will be, it will be, that'll be, thank you for, thanks for, i appreciate, as i no longer need, i no longer need, {i|we} {don't|do not} {need|want} {it|them|this|that} {anymore|any more|any longer}, i look forward, looking forward, so that, hopefully`,
  links:
    "the, a, an, my, our, it, them, this, that, these, those, its, me, us, him, her, there, entire, whole, full, item, items, things",
  prepositions:
    "of, for, on, in, at, with, by, via, using, use, as, under, through, per, around, between, over, within",
  from: "from, out",
  to: "to, into, onto, towards",
  denies:
    `isn't, isnt, wasn't, aren't, arent, can't, cant, cannot, can not, won't, wont, wouldn't, shouldn't, couldn't, doesn't,
    doesnt, didn't, didnt, haven't, hasn't, none, nothing, nobody, neither, nor, without, except, excluding, no longer, undo,
    revert, opposite, far from, hardly, refuse to, against, nonsense, false, fake, unconfirmed`,
  conditions:
    `if, only if, but only if, unless, as long as, so long as, provided, provided that, providing, assuming, supposing, in
    case, once, when, whenever, until, till, after, before, depends, depending, otherwise, or else, on condition, whether, subject
    to, first, only, only when, as soon as, in that case, given that, should there, contingent, pending, in theory, theoretically, in principle, hypothetically`,
  hesitates:
    `wait, waiting, hold on, hang on, hold, one moment, one second, one sec, one minute, just a moment, just a second, just
    a sec, just a minute, a moment, a minute, a sec, a second, maybe, perhaps, possibly, probably, not sure, unsure, i guess, guess, i
    suppose, suppose, i think so, i think, i believe, i hope so, think about it, let me {think|check|see|ask|first|know|look}, hmm, hmmm, hm, mm, um, uh, erm, later, tomorrow, yesterday, kind of,
    kinda, sort of, might, please confirm {that|if|whether|first|with|by|to}, confirm first, to be confirmed, pause, careful, actually, almost, mostly, nearly, soon, someday, undecided, no idea, no clue,
    idk, whatever, {right|sure|great|fine|perfect|wonderful|of course|ok|okay} because, yeah {right|sure}, sure you can, sure sure, right right, as if, in your dreams, dream on, sure jan, oh great, just great, oh sure, oh perfect, oh wonderful, great just great, fine be that way, lol, haha, bye, goodbye`,
  quotes:
    `said, says, say, saying, told, tells, asked me, claimed, claims, heard, according to, apparently, quote, wrote, writes, mentioned,
    promised, supposedly, would say, texted, replied, answered, agrees, approves, confirms, agreed with, user, the user, customer, assistant, system, operator said, admin, he agreed, she agreed, they agreed, i confirmed, i agreed, i approved, has agreed, have agreed, has confirmed, has approved, would have, the answer, {everyone|everybody} {says|agrees|agreed|wants}`,
  asks:
    `can {i|you|we}, could {you|i|we}, would {you|it|i}, will {you|i|it|there|that}, do {i|you|we}, does {it|that|this}, did {you|i}, is {my|there|this}, are {there|you}, am i, may i, should i, shall i,
    have you, has it, you sure, wonder, wondering, tell me, explain, a question, questions, question, curious, {want|like|need} to know, sorry what, huh, pardon, come again, so what, what about, how about, what if`,
  relates: "and then, what, whats, what's, where, who, why, which, how, is it, is that, is the, are the",
  more:
    `all, already, myself, also, too, as well, additionally, plus, another, other, others, else, instead, rather, but, however, although, though, both, all of
    them, different, differently, second one, first one, the one, not this, besides, then also, while you are at it, while you're at it,
    meanwhile, by the way, btw, next, again, each, every, twice, everything, everything else, half`,
  verbs:
    `transfer, connect, speak, talk, call, contact, email, mail, send, change, book, rebook, reschedule, cancel, refund,
    return, exchange, add, adding, remove, delete, order, buy, buying, pay, paying, payment, charge, upgrade, downgrade, check, look, show, find, give, help, need, switch, move,
    replace, reserve, apply, open, close, ship, deliver, repeat, read, list, start, keep, get, put, take, ask, include,
    extend, schedule, increase, lower, reduce, raise, set, turn, issue, undo, stop, modify, update, renew, create, block, unblock, lock, unlock, enable, disable, activate, deactivate, subscribe, unsubscribe, publish, share, print, forward, restore, revert, reset, restart, merge, deploy, withdraw, deposit, assign, register, sign, verify, edit, request, receive, resend, save, fix, leave, destroy, offer, archive, ban, invite, wipe, release, redeem, drop, redo, submit, waive`,
  same:
    `change modify update adjust edit correct modification, book reserve reservation booking take, cancel cancellation, refund reimburse reimbursement, exchange swap replace, delete remove erase, return send-back, buy purchase order, pay payment paying, upgrade upgrading, stop halt, undo revert reverse, close closing closure, transfer move send wire, send email share, turn switch, file submit, issue issuance, reschedule move postpone`,
  wishes:
    `human, agent, person, representative, manager, supervisor, somebody, someone, operator, credit, compensation, discount, voucher, hotel, flight, complaint, complain, husband, wife, boss, lawyer, friend, fee, refundable`,
  makes: "book, reserve, buy, order, add, take, issue, apply, schedule, upgrade, send",
  takes:
    "cancel, delete, remove, close, end, stop, terminate, erase, discard, drop, deactivate, unsubscribe, revoke, block, destroy, return",
  covers: "change upgrade downgrade move switch rebook reschedule exchange replace",
  generic:
    "work, works, suit, fine, that, this, can, could, may, should, shall, must, does, do, did, everything, going, about, ready, let, i've, i'll, i'd, i'm, you'll, you'd, you're, information, details, detail, request, summary, action, following, total, would, like, want, wish, is, are, you, your, i, me, we, will, be, have, has, now, here, ending, one, ones, approval, permission, confirmation, agreement",
  future: "will, would, be",
  requests:
    `ask you to, ask you, please confirm, to confirm, confirm that, do you confirm, please reply, reply with, reply yes, respond with, say yes, type yes, let me know, please approve, please verify, confirm with`,
  classes:
    "reservation, booking, order, address, date, time, seat, seats, room, table, flight, flights, trip, ticket, tickets, purchase, transaction, process, modification, account, subscription, appointment, one, ones, color, colour, size, version, option, model, class",
  both: "both",
  all: "all",
  numerals: "one, two, three, four, five, six, seven, eight, nine, ten",
  pays: "use, using, charge, pay, put, apply, bill, refund, go, issue, deduct, credit, get, receive, send",
  means:
    "card, cards, methods, paypal, certificate, certificates, voucher, method, mastercard, visa, balance, credit, refund, email, instructions, confirmation, receipt",
  money:
    "amount, difference, total, rest, remainder, remaining, balance, cost, price, fee, payment, refund, funds, money",
  amounts: "money, amount, sum",
  joins: "and, or, &",
  or: "or, also, alternatively, instead, another, other, otherwise, could",
  endings: ", s, e, ing, lation, ation, tion, ion, ment, al, ance, ery, y, ade",
  finite: "s, es, ies",
  compounds: true,
  past: "ed, d, ied",
  unclear: {
    asks: "You asked something back, so I have not done anything yet.",
    quotes: "I am not sure that this is your own answer, so I have not done anything yet.",
    condition: "You named a condition, so I have not done anything yet.",
    denies: "I am not sure whether that was a yes or a no, so I have not done anything yet.",
    hesitates: "You do not seem sure yet, so I have not done anything yet.",
    more: "You mentioned something else as well, so I have not done anything yet.",
    silent: "I did not get a clear yes, so I have not done anything yet."
  }
}
