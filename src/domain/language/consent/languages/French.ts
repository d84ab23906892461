/** French answers. */
import type { Language } from "../ConsentLanguage.js"

/**
 * @since 0.2.0
 * @category languages
 */
export const french: Language = {
  code: "fr",
  agrees:
    `oui, sí, ouais, ouaip, mais oui, bien sur, bien sur que oui, d'accord, je suis d'accord, dac, ok, okay, certainement, absolument, tout a fait, exactement, exact, c'est exact, c'est bien ca, c'est ca, c'est
    correct, correct, c'est bon, c'est bon pour moi, ca marche, ca me va, ca me convient, c'est parfait, parfait, parfaitement, volontiers, avec plaisir, evidemment, entendu, c'est entendu, je confirme, je vous confirme, je le confirme, confirme, confirmez,
    je valide, je valide ca, valide, validez, vous pouvez y aller, vous pouvez valider, vous pouvez proceder, vous pouvez le faire, tu peux y aller, tu peux le faire, allez-y, vas-y, allons-y, on y va, faites, faites-le, fais-le, faites ca, fais ca, procedez, procede, poursuivez, poursuis, continuez, continue, je
    suis sur, je suis sure, j'accepte, j'approuve, je veux bien, je vous donne mon accord, vous avez mon accord, tout est correct, tout est bon, tout est exact, bien entendu, ca roule, nickel, impeccable, oui oui, effectivement, banco`,
  refuses:
    `non, nan, non merci, non non, pas, pas du tout, surtout pas, jamais, jamais de la vie, certainement pas, absolument pas, bien sur que non, pas maintenant, pas encore, pas aujourd'hui, plus maintenant, plutot pas, finalement non, arretez, arrete, stop, laissez
    tomber, laisse tomber, oubliez, oublie, oubliez ca, oublie ca, laissez, laissez comme ca, laisse comme ca, on laisse comme ca, j'ai change d'avis, changé d'avis, ne faites rien, ne faites pas ca, ne le faites pas, ne fais pas ca, ne le fais pas, je ne veux pas, je ne
    veux plus, je n'en veux pas, je ne prefere pas, je prefere pas, je ne suis pas d'accord, pas d'accord, ce n'est pas correct, c'est pas correct, pas correct, pas exact, c'est faux, faux, incorrect, ce n'est pas ca, c'est pas ca, je refuse, refuse, annulez tout, hors de question, pas
    question, c'est non, je la garde, je le garde, je veux la garder, je veux le garder, 👎, ❌, 🚫`,
  beside:
    `s'il vous plait, s'il te plait, svp, stp, merci, merci beaucoup, merci bien, mille mercis, bonjour, bonsoir, salut, le, la, les, l', ca, cela, ce, cette, cet, c'est, ma, mon, mes, un, une, je, j', vous, tu, nous, on, est, sont, de, du, des, d', y, bien, tres bien, super, genial, maintenant, tout
    de suite, immediatement, des que possible, pour moi, avec ca, alors, donc, je veux, je souhaite, je voudrais, j'aimerais, je desire, que vous, vous pouvez, tu peux, a, au, les informations sont correctes, les details sont corrects, toutes les informations sont correctes, comme convenu, comme
    indique, comme prevu, effectuer, proceder, proceder a, faire, pas de probleme, pas de souci, aucun probleme, aucun souci, sans probleme, monsieur, madame, eh bien, ben, ah, oh, avec le, avec la, avec l', avec mon, avec ma, demande, la demande, ma demande, modification, changement, 👍, ✅, 👌, ✔, 🙏, 🙂, 😊, 😀, 😁, 😃, ❤, 🎉, 👋`,
  denies: "ne, n', ni, aucun, aucune, rien, personne, sans, sauf, nulle, guere, contre, malgre",
  conditions:
    `si, s', seulement si, mais seulement si, uniquement si, a condition, a condition que, pourvu que, a moins que, sauf si, tant que, du moment que, des que, quand, lorsque, avant, avant que, apres, apres que, jusqu'a, jusqu'a ce que, d'abord, ca depend, cela depend, depend, dependra, sinon, au cas
    ou, en cas, seulement, uniquement, que si`,
  hesitates:
    `attendez, attends, attendre, un moment, un instant, une seconde, une minute, peut-etre, peut etre, eventuellement, probablement, sans doute, pas sur, pas sure, je ne sais pas, je sais pas, aucune idee, je crois, je pense, je suppose, j'hesite, hesite, reflechir, je reflechis, laissez-moi, laisse-moi, plus tard, demain,
    hm, hmm, euh, heu, bof, mouais, bientot, en fait, un jour, on verra, peu importe, 🤔, 🤨, 😕, 🤷, 🙄`,
  quotes:
    "dit, disait, disent, a dit, m'a dit, dite, selon, apparemment, pretend, ecrit, raconte, repondu, promis, dixit, d'apres",
  asks:
    `quoi, quel, quelle, quels, quelles, que, qu', qui, ou est, quand est-ce, pourquoi, comment, combien, est-ce que, est-ce, puis-je, pouvez-vous, peux-tu, pourriez-vous, pourrais-tu, pourrais-je, vais-je, aurai-je, dois-je, y a-t-il, avez-vous, as-tu, allez-vous, serait-il, sera-t-il, question, une question, demander, expliquez, dites-moi, dis-moi,
    savoir, pardon, hein`,
  more:
    `aussi, egalement, de plus, en plus, autre, autres, un autre, une autre, sinon, plutot, a la place, au lieu, mais, cependant, toutefois, par contre, pourtant, meme si, les deux, tous, toutes, differente, different, deuxieme, second, seconde, puis, ensuite, et puis, encore, au fait, en meme temps, par ailleurs, nouveau, a nouveau, tant que vous y etes,
    chaque, deux fois, celle, celui, celle-ci, celui-ci, celle-la, celui-la`,
  wishes:
    `transferer, transferez, transferez-moi, passez-moi, passez, parler, parle, appeler, appelez, contacter, contactez, envoyer, envoyez, changer, changez, modifier, modifiez, reserver, reservez, annuler, annulez, annule, rembourser, remboursez, remboursement, retourner, retour, echanger, ajouter, ajoutez, supprimer, supprimez, commander, commandez,
    acheter, payer, montrer, montrez, verifier, verifiez, trouver, trouvez, donner, donnez, aider, aidez, aide, besoin, humain, humaine, agent, conseiller, conseillere, quelqu'un, responsable, manager, reduction, bon, hotel, vol, reclamation, prendre, prenez, mettre, mettez, prolonger, deplacer, livrer, lire, dire, dites, email, mail, garder, gardez`,
  joins: "et, ou, ainsi que",
  endings: "er, e, es, ez, ons, ent, ation, tion, ement, ment, ir, is, it, issez, re, ee, age",
  unclear: {
    asks: "Vous m'avez posé une question, je n'ai donc encore rien fait.",
    quotes: "Je ne suis pas sûr que ce soit votre propre réponse, je n'ai donc encore rien fait.",
    condition: "Vous avez posé une condition, je n'ai donc encore rien fait.",
    denies: "Je ne sais pas si c'était un oui ou un non, je n'ai donc encore rien fait.",
    hesitates: "Vous ne semblez pas encore sûr, je n'ai donc encore rien fait.",
    more: "Vous avez aussi parlé d'autre chose, je n'ai donc encore rien fait.",
    silent: "Je n'ai pas compris de oui clair, je n'ai donc encore rien fait."
  }
}
