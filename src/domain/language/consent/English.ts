/** English answers. */
import type { Language } from "./ConsentLanguage.js"

/**
 * @since 0.2.0
 * @category languages
 */
export const english: Language = {
  code: "en",
  agrees:
    `yes, yeah, yep, yup, yea, yess, yes sir, yes ma'am, aye, y, yes indeed, yes of course, sure, sure thing, for sure, ok, okay, okey, k, kk, alright, all right, alrighty,
    right, correct, that is correct, that's correct, thats correct, this is correct, exactly, absolutely, definitely, certainly, of course, for certain,
    agreed, agree, i agree, i do agree, i agree to that, i confirm, i do confirm, i can confirm, i hereby confirm, i would like to confirm, i'd like to confirm, i confirm that, yes i confirm, i consent, i explicitly agree, i fully agree, i explicitly confirm, that's acceptable, that is acceptable, acceptable, that would be acceptable, that'd be great, that'd be fine, is ok, is okay, is fine, i accept, i'll accept, i will accept, i approve, i do approve, i authorize, i authorise, confirm,
    confirmed, approved, approve, accepted, accept, go ahead, go ahead and, go ahead with, go on, go for it, do it, just do it, do that, do so, do this, please do,
    proceed, proceed with, proceed to, continue, continue with, carry on, move forward, move forward with, move ahead, sounds good, sounds great, sounds right, sounds fine, sounds correct, sounds all right, sounds
    alright, sounds ok, sounds okay, sounds perfect, that sounds good, that sounds great, that sounds perfect, that sounds fine, that sounds right, looks good, look correct, look good, look right, looks great, looks right, looks correct, looks fine, looks
    ok, looks perfect, that looks good, that looks right, that looks correct, that looks great, it looks good, it looks correct, works for me, that works, this works, that works for me, fine, that is fine, that's fine, that's fine with me, that is fine with me, fine with me, fine by me, ok with me, okay with me, that is okay, that's okay, that's ok, that is ok, that's all right, it's all right, that's alright, it's alright, that is alright, that is all right, that's right, thats right, that is right, that's it, that
    is it, that's perfect, that is perfect, that's great, that is great, that's good, perfect, make it so, make it happen, let's do it, lets do it, let's do that, lets do that, let's do this, let's go, let's proceed, let's go
    ahead, lets go ahead, let's go with that, you have my permission, you have my ok, you have my approval, you have my consent, you have my confirmation, you have my go-ahead, you have my authorization, lgtm, roger that, ship it, that's the plan, affirmative, indeed, you bet,
    that will do, that'll do, all good, all correct, all set, good to go, by all means, i'm happy with that, i am happy with that, happy
    with that, i'm ok with that, i am ok with that, i'm okay with that, i'm fine with that, i am fine with that, i'm good with that, i'm sure, im sure, i am sure, i am certain, i'm certain, yes i'm sure, yes i do, i do, i would, i would love that, i would love to,
    i'd like that, i would like that, i want that, that is what i want, that's what i want, that would be great, that would be perfect, that would be good, that would be helpful, that all looks right, that all looks correct, that all looks good, this looks correct, this looks good,  that would be fine, that would be wonderful, that would be lovely, that works great, that works perfectly, works perfectly, works perfectly for me, that works well, perfectly fine, that's perfectly fine, that is perfectly fine, totally fine, absolutely fine, that's totally fine, that's absolutely fine, very well,
    everything is correct, everything's correct, everything looks correct, everything looks good, everything looks right, everything looks great, everything looks fine, everything looks perfect, everything sounds good, everything is right, everything is fine, everything is good, it is correct, it's correct, all of that is correct, that is all correct, that's all correct, it all looks good, it all looks correct, all looks good, all looks correct,
    the details are correct, the details look correct, the details look good, those details are correct, these details are correct, all the details are correct, all details are correct, all details look correct, all the details look correct, details are correct, the details are right, the information is correct, this information is correct, that information is correct, all information is correct, all the information is correct, the information looks correct, you may proceed, you can proceed, i'm ready, i am ready, ready to proceed, i am ready to proceed, i'm ready to proceed`,
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
    `please, pls, plz, thanks, thank you, thx, ty, cheers, so much, very much, a lot, thanks a lot, many thanks, thanks again, thank you again, thank you so much, thank you very much, thanks so much, kindly, and thank you, and thanks,
    thank you for your help, thanks for your help, thank you so much for your help, thank you for helping, thank you for your assistance, thanks for your assistance, thank you for helping me, thanks for helping, thank you for all your help, thank you for your patience, thank you for your time, i appreciate your help, i appreciate it, i appreciate your assistance, i really appreciate it, much appreciated, appreciate it, appreciate your help, for your help, for the help,
    now, right now, right away, straight away, immediately, asap, as soon as possible, for me, with it, with that, with this, to that, to this, to it, then, well, so, oh, ah, great, good, awesome, excellent, cool, nice, wonderful, lovely, super,
    brilliant, very good, very well, to me, sorry, no problem, no worries, no problem at all, sir, madam, as described, as discussed, as you described, as you
    said, as stated, as planned, as mentioned, as outlined, one hundred percent, still, that's all, that is all, that will be all, have a great day, have a nice day, for me please`,
  leads:
    `do, i want to, i do want to, i want you to, i'd like to, i would like to, i'd like you to, i would like you to, i'd love to, i would love to, i wish to, i'd like, i would like, i want, you can, you may, you should, let's, lets, do the, make the, make this, make these, make that, make my, make those,
    process, complete, perform, finalize, finalise, submit, to proceed, to go ahead, to do that, to do so, to do this, to confirm, the request, my request, this request, want me to, would like me to, want to, would like to, would like, i'll take, i will take, i'd take, i'll go with, that i want to, that i want you to, that i would like to, that i'd like to, that you can, i will, i'll`,
  explains:
    `because, since, my plans, my plan, my trip, i understand, i understand that, i'm aware, i am aware, i know that, that will be, that would be, this will be, it will be, that'll be, thank you for, thanks for, i appreciate, as i no longer need, i no longer need, i don't need it anymore, i look forward, looking forward, so that, hopefully`,
  links: "the, a, an, my, our, it, them, this, that, these, those, its, me, there, entire, whole, full",
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
    suppose, suppose, i think so, i think, i believe, i hope so, think about it, let me, hmm, hmmm, hm, mm, um, uh, erm, later, tomorrow, yesterday, kind of,
    kinda, sort of, might, please confirm, confirm first, to be confirmed, pause, careful, actually, was, were, almost, mostly, nearly, soon, someday, undecided, no idea, no clue,
    idk, whatever, yeah right, yeah sure, sure sure, right right, as if, in your dreams, dream on, sure jan, oh great, just great, oh sure, oh perfect, oh wonderful, great just great, fine be that way, lol, haha, bye, goodbye`,
  quotes:
    `said, says, say, saying, told, tells, asked me, claimed, claims, heard, according to, apparently, quote, wrote, writes, mentioned,
    promised, supposedly, would say, texted, replied, answered, agrees, approves, confirms, agreed with, user, the user, customer, assistant, system, operator said, admin, he agreed, she agreed, they agreed, i confirmed, i agreed, i approved, has agreed, have agreed, has confirmed, has approved, would have, the answer, everyone, everybody`,
  asks:
    `what, whats, what's, where, who, why, which, how, can i, can you, can we, could you, could i, could we, would you, would it, would i,
    will you, will i, will it, will there, will that, do i, do you, do we, does it, does that, does this, did you, did i, is it, is that,
    is this, is the, is my, is there, are there, are you, are the, am i, may i, should i, shall i, have you, has it, you sure, wonder, wondering, tell me, explain, a question,
    questions, question, curious, want to know, like to know, need to know, sorry what, huh, pardon, come again, so what, and then`,
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
    `change modify update adjust edit correct modification, book reserve reservation booking, cancel cancellation, refund reimburse reimbursement, exchange swap replace, delete remove erase, return send-back, buy purchase order, pay payment paying, upgrade upgrading, stop halt, undo revert reverse, close closing closure, transfer move, issue issuance, reschedule move postpone`,
  wishes:
    `human, agent, person, representative, manager, supervisor, somebody, someone, operator, credit, compensation, discount, voucher, hotel, flight, complaint, complain, husband, wife, boss, lawyer, friend, fee, refundable`,
  generic:
    "work, works, suit, fine, that, this, can, could, may, should, shall, must, does, do, did, everything, going, about, ready, let, i've, i'll, i'd, i'm, you'll, you'd, you're, information, details, detail, request, summary, action, following, total, would, like, want, wish, is, are, you, your, i, me, we, will, be, have, has, now, here",
  future: "will, would, be",
  requests:
    `please confirm, to confirm, confirm that, do you confirm, please reply, reply with, reply yes, respond with, say yes, type yes, let me know, please approve, please verify, confirm with`,
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
