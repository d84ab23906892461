/** French answers. */
import type { Language } from "../ConsentLanguage.js"

export const french: Language = {
  code: "fr",
  agrees: `oui, {est|sont} [tout a fait|bien|tres]
    {bon|bonne|bons|bonnes|correct|correcte|corrects|correctes|exact|exacte|parfait|parfaite|juste|ok}, {me|nous}
    {va|vont|convient|conviennent} [tres bien|bien|parfaitement|tout a fait], proceder, proceder a, continuer,
    poursuivre, sí, ouais, ouaip, mais oui, bien sur, bien sur que oui, d'accord, je suis d'accord, dac, ok, okay,
    certainement, absolument, tout a fait, exactement, exact, c'est exact, c'est bien ca, c'est correct, c'est bon,
    ca marche, ca me va, ca me convient, c'est parfait, parfait, volontiers, avec plaisir, evidemment, entendu,
    c'est entendu, je confirme, je vous confirme, je le confirme, confirme, confirmez, je valide, je valide ca,
    valide, validez, vous pouvez y aller, vous pouvez valider, vous pouvez proceder, vous pouvez le faire, tu peux y
    aller, tu peux le faire, allons-y, on y va, faites, faites-le, fais-le, faites ca, fais ca, procedez, procede,
    poursuivez, poursuis, continuez, continue, je suis [tout a fait|absolument] {sur|sure}, j'accepte, j'approuve,
    je veux bien, je vous donne mon accord, vous avez mon accord, tout est correct, tout est bon, tout est exact,
    bien entendu, ca roule, impeccable, o, c'est bon pour moi, effectivement, parfaitement, nickel, banco, correct,
    c'est tout a fait ca, oui c'est ca, c'est bien cela, cela me convient, cela me va, tout est parfait, tout me
    convient, tout est en ordre, toutes les informations sont correctes, les informations sont correctes, les
    details sont corrects, tous les details sont corrects, vous pouvez continuer, vous pouvez poursuivre, veuillez
    proceder, veuillez proceder a, procedez a, veuillez continuer, veuillez poursuivre, allez y, vas y, je suis
    certain, je suis certaine, approuve, approuvez, accepte, acceptez, je le souhaite, je le veux, je souhaite
    continuer, je souhaite proceder, je veux continuer`,
  refuses:
    `non, nan, non merci, non non, pas du tout, surtout pas, jamais, jamais de la vie, certainement pas, absolument
    pas, bien sur que non, pas maintenant, pas encore, pas aujourd'hui, plus maintenant, plutot pas, finalement non,
    arretez, arrete, stop, laissez tomber, laisse tomber, oubliez, oublie, oubliez ca, oublie ca, laissez comme ca,
    laisse comme ca, on laisse comme ca, j'ai change d'avis, changé d'avis, ne faites rien, ne faites pas ca, ne le
    faites pas, ne fais pas ca, ne le fais pas, je ne veux pas, je ne veux plus, je n'en veux pas, je ne prefere
    pas, je prefere pas, je ne suis pas d'accord, pas d'accord, ce n'est pas correct, c'est pas correct, pas
    correct, pas exact, c'est faux, faux, incorrect, ce n'est pas ca, c'est pas ca, je refuse, annulez tout, hors de
    question, pas question, c'est non, je la garde, je le garde, je veux la garder, je veux le garder, pas, refuse,
    refuser, refusez, rejeter, je m'y oppose, ca me derange, je ne suis pas sur, mais non, pas celle-la, pas
    celui-la, gardez-la, gardez-le`,
  beside:
    `s'il vous plait, s'il te plait, svp, stp, merci, merci beaucoup, merci bien, merci d'avance, mille mercis, grand
    merci, merci pour votre aide, merci pour ton aide, merci de votre aide, merci beaucoup pour votre aide, je vous
    remercie, je vous en prie, je vous prie, bien, tres bien, super, genial, maintenant, tout de suite,
    immediatement, des que possible, pour moi, avec ca, alors, donc, comme convenu, comme indique, comme prevu, pas
    de probleme, pas de souci, aucun probleme, aucun souci, sans probleme, monsieur, madame, eh bien, ben, ah, oh,
    et merci`,
  leads: `je veux, je souhaite, je voudrais, j'aimerais, je desire, je veux que vous, je souhaite que vous, vous pouvez,
    tu peux, veuillez, effectuer, effectuez, faire, faites, a, au, je veux bien que vous`,
  explains:
    `parce que, car, je n'en ai plus besoin, je {l'ai|la} perdue, je l'ai perdu, c'etait une erreur, je comprends, je comprends que, je sais que, merci pour, merci de, ce serait, mes projets`,
  links: `le, la, les, l, ca, cela, ce, cette, cet, ces, ma, mon, mes, un, une, je, j, lui, leur, que, qu, vous, y`,
  prepositions: "pour, avec, en, par, sur, dans, sous, chez, via, dont",
  from: "de, du, des, d, depuis",
  to: "a, au, aux, vers, jusqu'a",
  denies: "ne, n', ni, aucun, aucune, rien, personne, sans, sauf, nulle, guere, contre, malgre",
  conditions:
    `si, s', seulement si, mais seulement si, uniquement si, a condition, a condition que, pourvu que, a moins que,
    sauf si, tant que, du moment que, quand, lorsque, avant, avant que, apres, apres que, jusqu'a, jusqu'a ce que,
    d'abord, ca depend, cela depend, depend, dependra, sinon, au cas ou, en cas, seulement, uniquement, que si`,
  hesitates:
    `comptez la dessus, comptez la-dessus, compte la-dessus, attendez, attends, attendre, un moment, un instant, une seconde, une minute, peut-etre, peut etre,
    eventuellement, probablement, sans doute, pas sur, pas sure, je ne sais pas, je sais pas, aucune idee, je crois,
    je pense, je suppose, j'hesite, hesite, reflechir, je reflechis, laissez-moi, laisse-moi, plus tard, demain, hm,
    hmm, euh, heu, bof, mouais, bientot, en fait, un jour, on verra, peu importe, oui oui c'est ca, mais oui c'est
    ca, c'est ca oui, en theorie, theoriquement, en principe, hier, certes, ah oui, et alors, ben voyons, au revoir,
    ouais ouais, bravo`,
  quotes:
    `dit, disait, disent, a dit, m'a dit, dite, selon, apparemment, pretend, ecrit, raconte, repondu, promis, dixit,
    d'apres, est d'accord, confirme que, a confirme, a approuve, a accepte, j'ai confirme, j'ai accepte,
    utilisateur, l'utilisateur, client, assistant, systeme, il, elle, on m'a, ma femme, mon mari, d'accord avec paul`,
  asks: `quoi, quel, quelle, quels, quelles, qui, ou est, quand est-ce, pourquoi, comment, combien, est-ce que, est-ce,
    puis-je, pouvez-vous, peux-tu, pourriez-vous, pourrais-tu, pourrais-je, vais-je, aurai-je, dois-je, y a-t-il,
    avez-vous, as-tu, allez-vous, serait-il, sera-t-il, question, une question, demander, expliquez, dites-moi,
    dis-moi, savoir, pardon, hein, vous etes sur, etes-vous, tu es sur, est la, est ma, c'est bon la, c'est bien la, et maintenant, et apres, et
    alors`,
  more: `aussi, egalement, de plus, autre, autres, un autre, une autre, sinon, plutot, a la place, au lieu, mais,
    cependant, toutefois, par contre, pourtant, meme si, les deux, tous, toutes, differente, different, deuxieme,
    second, seconde, puis, ensuite, et puis, encore, au fait, en meme temps, par ailleurs, nouveau, a nouveau, tant
    que vous y etes, chaque, deux fois, celle, celui, celle-ci, celui-ci, celle-la, celui-la, tout, deja, c'etait`,
  verbs: `transferer, parler, appeler, contacter, envoyer, changer, modifier, reserver, annuler, rembourser, retourner,
    echanger, ajouter, supprimer, commander, acheter, payer, montrer, verifier, trouver, donner, aider, prendre,
    prenez, mettre, mettez, prolonger, deplacer, livrer, lire, lisez, dire, dites, garder, conserver, bloquer,
    debloquer, fermer, ouvrir, arreter, demarrer, lancer, debiter, crediter, activer, desactiver, remplacer,
    publier, partager, imprimer, enregistrer, approuver, restaurer, retablir, resilier, virer, traiter, finaliser, effectuer, demander, remettre,
    remettez, passer, passez, emettre, recevoir, vendre, surclasser, renvoyer`,
  same: `annuler annulation, reserver reservation, rembourser remboursement, modifier modification changer changement,
    retourner retour renvoyer renvoi, echanger echange, envoyer envoi envoie, supprimer suppression effacer,
    commander commande acheter achat, payer paiement paie, virer virement transferer transfert, resilier
    resiliation, arreter arret stopper, fermer fermeture cloturer, garder conserver, deplacer reporter`,
  actions: `cancel annuler, book reserver, delete supprimer, send envoyer, pay payer, buy acheter, order commander,
    change modifier, refund rembourser, transfer transferer, close fermer, stop arreter, keep garder, add
    ajouter`,
  things: `booking reservation, reservation reservation, order commande, flight vol, room chambre, table table,
    account compte, subscription abonnement, trip voyage, ticket billet`,
  wishes: `humain, humaine, agent, conseiller, conseillere, quelqu'un, responsable, manager, reduction, bon, hotel, vol,
    reclamation, besoin, aide, email, mail, femme, mari, patron, frais`,
  generic:
    `peux, pouvez, vais, allez, informations, details, demande, votre, vos, vous, je, souhaitez, voulez, voudriez, desirez, dois, puis, est,
    sont, sera, serez, seront, pret, prete, maintenant`,
  future: "sera, serez, seront, vais, serai",
  requests: "veuillez confirmer, confirmez, pour confirmer, repondez, merci de confirmer",
  makes: "reserver, acheter, commander, ajouter, prendre, envoyer",
  takes: "annuler, supprimer, effacer, fermer, resilier, retirer, bloquer, cloturer, retourner, rendre",
  classes: "adresse, date, heure, vol, commande, reservation, chambre, table",
  money: "prix, cout, frais, tarif, difference, montant, supplement",
  amounts: "argent, somme, montant",
  joins: "et, ou",
  or: "ou, aussi, egalement, sinon, autre, plutot",
  endings: "er, e, ez, ons, ation, tion, ement, ment, ir, is, issez, re, age, i, oi, oie",
  finite: "es, ent, e",
  past: "ee, ees, it, era, erai",
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
