/**
 * Plain yes messages to the questions that agents ask: several sentences, lists of details, requests for a "yes". Half
 * of them were written before the rules of recognition.
 */

export interface Answered {
  readonly question: string
  readonly yes: ReadonlyArray<string>
}

export const plainYeses: ReadonlyArray<Answered> = [
  {
    question:
      "I can cancel reservation EHGLP3 for you. You will be refunded $652 to your original payment method within 5 to 7 business days. Would you like to proceed with the cancellation? Please confirm with a \"yes\" to proceed.",
    yes: [
      "Yes, please proceed with the cancellation.",
      "Yes",
      "Yes, I would like to proceed with the cancellation.",
      "Yes, I confirm the cancellation.",
      "Yes, please go ahead and cancel the reservation.",
      "Yes, cancel reservation EHGLP3 please.",
      "Yes, I'd like to proceed. Thank you!",
      "Yes, please cancel my reservation and process the refund to my original payment method."
    ]
  },
  {
    question:
      "Here are the details of the exchange:\n- Item: Mechanical Keyboard (clicky, RGB)\n- New item: Mechanical Keyboard (clicky, white backlight)\n- Price difference: $12.40, charged to your PayPal account\n\nDo you confirm these details and want me to proceed with the exchange? (yes/no)",
    yes: [
      "Yes, everything looks correct. Please proceed with the exchange.",
      "Yes, I confirm these details. Please go ahead with the exchange.",
      "Yes, please proceed.",
      "Yes, that's correct. Please proceed with the exchange for the mechanical keyboard.",
      "Yes, please go ahead with the exchange using my PayPal account.",
      "yes, exchange it please",
      "Yes, those details are correct."
    ]
  },
  {
    question:
      "Your new flights will be:\n1. HAT170 from Atlanta to Seattle on May 20, departing at 9:00\n2. HAT028 from Seattle to Phoenix on May 22\n\nThe total is $484 and will be charged to your Mastercard ending in 7447. Would you like me to go ahead and book these flights?",
    yes: [
      "Yes, please go ahead and book these flights.",
      "Yes, please book the flights.",
      "Yes, that works for me. Please book them.",
      "That sounds great, please go ahead.",
      "Yes, book these flights with my Mastercard ending in 7447.",
      "Perfect, please proceed with the booking.",
      "Yes, please charge my Mastercard and book these flights.",
      "Yes, that would be great. Thank you so much for your help!"
    ]
  },
  {
    question:
      "The refund of $120.50 will be issued to your gift card gift_card_8883. To confirm, please reply with \"yes\".",
    yes: [
      "Yes, please issue the refund to my gift card.",
      "yes, refund to the gift card",
      "Yes, that is fine. Please proceed with the refund.",
      "Yes, I agree. Thanks!",
      "I confirm. Please go ahead with the refund to gift_card_8883.",
      "Yes, go ahead, thank you"
    ]
  },
  {
    question:
      "I have found your order #W5918442. The shipping address will be changed to 123 Elm Street, Apt 4, Austin, TX 78701. Is this information correct, and shall I make this change?",
    yes: [
      "Yes, the information is correct. Please make the change.",
      "Yes, that's correct. Please update the address.",
      "Yes, please make this change.",
      "That's right, please go ahead.",
      "Yes, please change the shipping address to 123 Elm Street, Apt 4, Austin, TX 78701.",
      "Yes, this information is correct, please proceed with the change.",
      "Correct. Please modify the address."
    ]
  },
  {
    question:
      "I am about to transfer $300 from your savings account to your checking account. There is no fee. Shall I go ahead with the transfer?",
    yes: [
      "Yes, go ahead with the transfer.",
      "Yes please, transfer it.",
      "Sure, go ahead and transfer $300 from my savings account to my checking account.",
      "Yep, transfer it please",
      "Yes, please transfer the $300 to my checking account.",
      "Okay, do it"
    ]
  },
  {
    question:
      "To summarize, I will upgrade all passengers on reservation M05KNL to business class. The additional cost is $1,280. Do you agree, and may I charge the card on file?",
    yes: [
      "Yes, I agree. Please proceed with the upgrade.",
      "Yes, you may charge the card on file.",
      "Yes, please upgrade all passengers to business class.",
      "I agree, go ahead.",
      "Yes, please go ahead and charge the card on file.",
      "Yes, that's fine with me, please go ahead with the upgrade"
    ]
  },
  {
    question: "Would you like me to go ahead?",
    yes: [
      "Yes, please go ahead.",
      "Yes please!",
      "Sure, please do.",
      "yes, I would like you to go ahead",
      "Go ahead, please.",
      "Of course. Thanks for your help.",
      "Yes, I'm sure. Go ahead."
    ]
  },
  {
    question: "Shall I stop the transfer?",
    yes: [
      "Yes, stop the transfer",
      "yes please stop it",
      "Yes, stop the transfer please, thank you",
      "Yes, please stop the transfer immediately."
    ]
  },
  {
    question: "Shall I send the invoice to ann@x.org tomorrow, without the appendix?",
    yes: [
      "Yes, send the invoice tomorrow",
      "Yes, tomorrow, without the appendix",
      "Yes please, to ann@x.org",
      "yes, send it to Ann@X.org without the appendix"
    ]
  },
  {
    question: "Should I keep both bookings until Friday?",
    yes: [
      "Yes, keep both bookings until Friday.",
      "Yes, please keep both",
      "yes keep them until friday",
      "Yes, both, until Friday, thanks."
    ]
  },
  {
    question: "Do you want me to undo the last change?",
    yes: ["Yes, undo it", "Yes, please undo the last change.", "yes undo the change please", "I do, thanks"]
  },
  {
    question: "The expense report of $230 by Tom is waiting. Approve or decline?",
    yes: [
      "Approve it",
      "Approve",
      "approve, please",
      "Yes, approve it.",
      "I approve the expense report.",
      "Please approve it, thanks"
    ]
  },
  {
    question:
      "Thank you, Sofia. Your reservation has been found. The basic economy ticket cannot be changed, but I can remove the passenger and issue a travel certificate worth $150. Please confirm that you want me to issue the certificate.",
    yes: [
      "Yes, please issue the certificate.",
      "Yes, I confirm that I want you to issue the certificate.",
      "I confirm.",
      "Yes, please go ahead and issue the travel certificate. Thank you.",
      "Confirmed, thank you.",
      "Yes, I want you to issue the certificate"
    ]
  },
  {
    question:
      "I'd be happy to help you return the following items from order #W2890441:\n\n* Water Bottle: $44.12\n* Desk Lamp: $135.24\n\n**Refund:** $179.36 to your credit card\n\nOnce confirmed, you'll receive an email with instructions. Do you wish to continue?",
    yes: [
      "Yes, I wish to continue.",
      "Yes, please continue with the return.",
      "Yes, please proceed with the return of the water bottle and the desk lamp.",
      "Yes, continue please.",
      "Yes, I'd like to return both items. Please proceed.",
      "Yes, please process the return and send the email with instructions."
    ]
  },
  {
    question: "City: Lisbon; nights: 3; breakfast: yes. Is that right?",
    yes: [
      "Yes, Lisbon, 3 nights",
      "yep all correct",
      "That's right, Lisbon, 3 nights, breakfast",
      "Yes, it's all right, thank you"
    ]
  },
  {
    question: "Shall I delete the file report.pdf?",
    yes: ["y", "👍", "Y", "yes!", "Yes, delete report.pdf", "ok 👍", "yup, delete it", "✅"]
  },
  {
    question:
      "I understand your flight was delayed. As a gesture I can offer a certificate of $100 for each of the 2 passengers, $200 in total. Would you like to accept this?",
    yes: [
      "Yes, I would like to accept this.",
      "Yes, I accept. Thank you.",
      "I accept, thank you very much.",
      "Yes, I'll accept the certificate. Thank you for your assistance.",
      "Yes, please. I appreciate your help."
    ]
  },
  {
    question: "Soll ich die Buchung HX22 am 3. Mai stornieren und 120 Euro auf Ihre Karte erstatten?",
    yes: [
      "Ja, bitte stornieren.",
      "Ja, bitte fahren Sie mit der Stornierung fort.",
      "Ja, das ist in Ordnung.",
      "Ja gerne, vielen Dank für Ihre Hilfe.",
      "Ja, ich bestätige die Stornierung."
    ]
  },
  {
    question: "Ich buche dann das Doppelzimmer in Wien für 2 Nächte. Möchten Sie fortfahren?",
    yes: [
      "Ja, ich möchte fortfahren.",
      "Ja, buchen Sie das Doppelzimmer bitte.",
      "Ja, bitte das Zimmer buchen",
      "Jawohl, buchen Sie.",
      "Ja klar, mach das",
      "Alles korrekt, bitte buchen."
    ]
  },
  {
    question: "Voulez-vous que j'annule la réservation K7 ? Répondez « oui » pour confirmer.",
    yes: [
      "Oui, annulez la réservation s'il vous plaît.",
      "Oui, je confirme l'annulation.",
      "Oui, veuillez procéder à l'annulation.",
      "Oui, annulez-la.",
      "Oui, allez-y, merci pour votre aide.",
      "Oui, c'est parfait, merci."
    ]
  },
  {
    question: "Le virement de 80 euros à Luc est prêt. Souhaitez-vous que je l'envoie ?",
    yes: ["Oui, envoyez-le", "Oui, envoyez le virement à Luc", "Oui je souhaite l'envoyer", "Oui, bien sûr, merci"]
  },
  {
    question: "¿Desea que cancele la reserva de Madrid? Por favor, confirme con un \"sí\".",
    yes: [
      "Sí, cancele la reserva por favor.",
      "Sí, proceda con la cancelación.",
      "Sí, confirmo la cancelación, gracias.",
      "Sí, quiero cancelar la reserva.",
      "Sí, por favor, cancélela",
      "Claro, adelante, muchas gracias por su ayuda."
    ]
  },
  {
    question: "Voy a cambiar su dirección a Calle Mayor 5. ¿Es correcto?",
    yes: [
      "Sí, es correcto.",
      "Correcto, cambie la dirección",
      "Sí, cambie mi dirección a Calle Mayor 5",
      "Sí, todo está bien, gracias"
    ]
  },
  {
    question: "Posso cancelar o pedido 881 e devolver 40 euros?",
    yes: [
      "Sim, vá em frente",
      "Sim, pode cancelar.",
      "Sim, por favor, prossiga com o cancelamento.",
      "Sim, confirmo o cancelamento do pedido 881 e devolva 40 euros",
      "Pode cancelar sim, obrigado"
    ]
  },
  {
    question: "Deseja que eu reserve o quarto em Faro para 2 noites?",
    yes: ["Sim, reserve o quarto", "Sim, desejo.", "Sim, por favor, reserve o quarto em Faro", "Claro, pode reservar"]
  },
  {
    question: "Vuole che prenoti la camera a Torino per 2 notti?",
    yes: [
      "Sì, prenoti la camera.",
      "Sì, prenoti pure, grazie.",
      "Sì, confermo la prenotazione.",
      "Certo, proceda con la prenotazione",
      "Sì, la prenoti per favore"
    ]
  },
  {
    question: "Devo annullare l'ordine 55? Risponda sì per confermare.",
    yes: ["Sì, annulli l'ordine", "Sì, annulla pure", "Sì, vada avanti, grazie mille", "Sì, proceda con l'annullamento"]
  },
  {
    question: "Zal ik de kamer in Utrecht boeken voor 2 nachten?",
    yes: [
      "Ja, boek de kamer",
      "Ja, boek maar",
      "Ja graag, boek de kamer in Utrecht",
      "Ja hoor, doe maar, bedankt",
      "Ja, u mag de kamer boeken"
    ]
  },
  {
    question: "Wilt u dat ik de bestelling annuleer?",
    yes: [
      "Ja, annuleer maar",
      "Ja, annuleer de bestelling alstublieft.",
      "Ja, ga door met de annulering.",
      "Ja, dat wil ik"
    ]
  },
  {
    question: "Czy mam anulować rezerwację w Gdańsku?",
    yes: [
      "Tak",
      "Tak, proszę",
      "Tak, proszę anulować rezerwację.",
      "Tak, anuluj ją",
      "Oczywiście, proszę kontynuować.",
      "Zgadzam się, dziękuję",
      "Tak, potwierdzam anulowanie."
    ]
  },
  {
    question: "האם לבטל את ההזמנה 771?",
    yes: ["כן", "כן, בבקשה", "כן, לבטל את ההזמנה", "כן, תבטל את ההזמנה בבקשה", "בטח, תודה", "מאשר", "כן, אני רוצה לבטל"]
  },
  {
    question:
      "I've located your reservation VAAOXJ for two passengers. Since both of you have insurance and the reason is health-related, you are eligible for a full refund of $390 to certificate and card. The refund will take 5-7 business days. Would you like me to cancel this reservation and issue the refund?",
    yes: [
      "Yes, please cancel the reservation and issue the refund.",
      "Yes, please go ahead and cancel this reservation.",
      "Yes, I'd like to cancel it.",
      "Yes, cancel the reservation and issue a full refund, please.",
      "Yes, please do. Thank you.",
      "Yes, I would like you to cancel the reservation and issue the refund."
    ]
  },
  {
    question:
      "Let me confirm the details before I proceed:\n\n- **Item to be exchanged:** T-Shirt (color: red, size: XXL, material: cotton)\n- **New item:** T-Shirt (color: purple, size: S, material: polyester)\n- **Refund:** $2.67 to your credit card\n\nPlease note that an order can only be exchanged once, so make sure all items are included. Do you want to proceed with this exchange?",
    yes: [
      "Yes, I want to proceed with this exchange.",
      "Yes, please proceed with this exchange. Thank you!",
      "Yes, please proceed with the exchange for the purple T-shirt.",
      "Yes, the details are correct. Go ahead.",
      "Yes, that's all. Please proceed.",
      "Yes, I'm sure. Please proceed with the exchange.",
      "Yes, please exchange the T-Shirt.",
      "Yes, please go ahead with that exchange."
    ]
  },
  {
    question:
      "The modification of the flights on reservation XEHM4B costs $65 in total, including the change of cabin to economy for everyone. I'll refund the difference to your original card. Please reply 'yes' to confirm the changes.",
    yes: [
      "Yes, I confirm the changes.",
      "Yes, please make the changes.",
      "Yes",
      "Yes, confirm.",
      "Yes, please go ahead and make the changes.",
      "Yes, I'm okay with that. Please proceed with the modification."
    ]
  },
  {
    question:
      "I can offer the following: move your appointment with Dr. Lee from Tuesday at 10:00 to Thursday at 14:30. Would that work for you?",
    yes: [
      "Yes, that works.",
      "Yes, that would work for me.",
      "Yes, Thursday at 14:30 works for me.",
      "Yes, please move it to Thursday.",
      "Yes, please move my appointment to Thursday at 14:30.",
      "That works perfectly, thank you."
    ]
  },
  {
    question: "Just to be sure: you want to return the vacuum cleaner and get the money back on your gift card, right?",
    yes: [
      "Yes, that's right.",
      "Right.",
      "Correct, return the vacuum cleaner and get the money back on my gift card.",
      "Yes, exactly.",
      "Yes, that is what I want.",
      "Yes, on my gift card please."
    ]
  },
  {
    question:
      "Your order is ready: 2 pizzas Margherita, 1 cola, total 27 euros, delivered to Oak Street 9. Shall I place the order?",
    yes: [
      "Yes, place the order.",
      "Yes, please place the order, thanks.",
      "Yes, order it.",
      "Sure, place it.",
      "Yes, 2 pizzas Margherita and 1 cola.",
      "Yes, deliver it to Oak Street 9."
    ]
  },
  {
    question: "This will permanently remove all 14 records from the table customers. There is no way back. Continue?",
    yes: [
      "Yes, continue.",
      "Yes, remove them.",
      "Yes, remove all 14 records.",
      "continue",
      "yes, permanently",
      "Yes, I am aware of that. Continue."
    ]
  },
  {
    question: "Would you like to go with the Visa card ending in 5012, or would you prefer not to pay now?",
    yes: ["Yes, the Visa card ending in 5012.", "Yes, go with the Visa card."]
  },
  {
    question: "Soll ich die Rechnung Nr. 812 jetzt bezahlen? Es werden 45,90 Euro abgebucht.",
    yes: [
      "Ja, bezahlen Sie die Rechnung.",
      "Ja, bitte jetzt bezahlen.",
      "Ja, bezahle die Rechnung Nr. 812",
      "Jo, passt",
      "Ja, bitte. Danke für Ihre Hilfe!"
    ]
  },
  {
    question: "Je vais rembourser 25 euros sur votre carte et clôturer le dossier. Êtes-vous d'accord ?",
    yes: [
      "Oui, je suis d'accord.",
      "Oui, remboursez 25 euros sur ma carte.",
      "D'accord, merci beaucoup.",
      "Oui, faites-le."
    ]
  },
  {
    question: "¿Confirma que quiere cambiar el vuelo al 9 de julio pagando 60 euros?",
    yes: [
      "Sí, confirmo.",
      "Sí, confirmo que quiero cambiar el vuelo.",
      "Sí, cambie el vuelo al 9 de julio.",
      "Confirmo, gracias."
    ]
  },
  {
    question: "Quer cancelar a assinatura Premium? Perderá o acesso hoje.",
    yes: [
      "Sim, quero cancelar.",
      "Sim, cancele a assinatura.",
      "Sim, quero cancelar a assinatura Premium.",
      "Quero sim, por favor."
    ]
  },
  {
    question: "Confermo il tavolo per 4 persone alle 20:30?",
    yes: ["Sì, confermi il tavolo.", "Sì, per 4 persone alle 20:30.", "Sì, confermi pure.", "Va bene, grazie."]
  },
  {
    question: "Wilt u 3 tickets bestellen voor 75 euro? Bevestig met ja.",
    yes: ["Ja, bestel 3 tickets.", "Ja, ik wil 3 tickets bestellen.", "Ja, ik bevestig.", "Ja, bestellen graag."]
  },
  {
    question:
      "Your current reservation (FQ8APE) is for Newark to Houston on May 25. I can change it to flight HAT056 departing at 17:00 and HAT138 afterwards. The price goes up by $53 and you'd also get 3 free bags in economy. How would you like to pay for the difference - is gift_card_8190333 ok? Please confirm (yes/no).",
    yes: [
      "Yes, I confirm.",
      "Yes, please proceed with the change.",
      "Yes, please use gift_card_8190333.",
      "Yes, that's okay. Please proceed with the changes.",
      "Yes, gift_card_8190333 is ok.",
      "Yes, please change my reservation to flight HAT056.",
      "Yes, I confirm the changes and would like to use gift_card_8190333."
    ]
  },
  {
    question:
      "Great news! The laptop you want is available. Here's the summary:\n\n**Laptop (current):** 15-inch, i5, 32GB RAM, 256GB SSD, space grey – $2,743.08\n**Laptop (new):** 13-inch, i5, 16GB RAM, 512GB SSD, space grey – $2,528.12\n\n**Refund:** $214.96 to your PayPal\n\nWould you like to go ahead with this exchange?",
    yes: [
      "Yes, please go ahead with this exchange.",
      "Yes, I would like to go ahead with this exchange.",
      "Yes, I'd like to go ahead with the exchange. Thanks!",
      "Yes, please exchange the laptop.",
      "Yes, go ahead with the exchange and refund the difference to my PayPal.",
      "Yes, go ahead with the refund to PayPal.",
      "Absolutely, please proceed."
    ]
  },
  {
    question:
      "I've found the order #W8660475. You want to modify the delivered address to 159 Hickory Drive, Philadelphia, PA 19031 and change the garden hose to 50ft length. The cost difference is $5.12. Do you wish to proceed with both modifications using paypal_5398626?",
    yes: [
      "Yes, please proceed with both modifications.",
      "Yes, I wish to proceed.",
      "Yes, I'd like to proceed with both modifications using PayPal.",
      "Yes, proceed with both changes.",
      "Yes, please proceed with both modifications. Thank you.",
      "Yes, that is all correct.",
      "Yes, use paypal_5398626."
    ]
  },
  {
    question:
      "You would be moved from basic economy to economy for all 4 flights at a total extra cost of $1,054. After that I can cancel the reservation and process a refund, but note that the policy requires your agreement first. Do you accept the additional charge?",
    yes: [
      "Yes, I accept the additional charge.",
      "Yes, I accept the charge.",
      "Yes, I accept. Please go ahead.",
      "I accept the additional charge.",
      "Yes, please proceed with the upgrade to economy.",
      "Yes, that's acceptable."
    ]
  },
  {
    question:
      "The return of the office chair, the pet bed and the wireless earbuds would be refunded to the original payment method within 5-7 days, $713.02 in total. To finalize, I need an explicit yes from you.",
    yes: [
      "Yes.",
      "Yes, please finalize the return.",
      "Yes, please proceed with the return.",
      "Yes, return all three items please.",
      "Yes, I explicitly agree.",
      "Yes, please go ahead and finalize it."
    ]
  },
  {
    question:
      "No problem at all. Shall I go ahead and book the one-way flight HAT202 from New York to Seattle on May 20 in economy class with one checked bag, no insurance, $178 charged to your Mastercard?",
    yes: [
      "Yes, please book it.",
      "Yes, please go ahead and book the one-way flight.",
      "Yes, book flight HAT202 with one checked bag and no insurance.",
      "Yes, please book the one-way flight HAT202 from New York to Seattle on May 20.",
      "Yes, please go ahead and book that flight for me.",
      "Yes, that's perfect. Please book it.",
      "Yes, please charge it to my Mastercard."
    ]
  },
  {
    question:
      "I am sorry for the inconvenience. I can send a $50 certificate as compensation. Would that be acceptable?",
    yes: [
      "Yes, that would be acceptable.",
      "Yes, that is acceptable. Thank you.",
      "Yes, please send the certificate.",
      "Yes, I'll take the certificate. Thank you.",
      "That works, thanks."
    ]
  },
  {
    question:
      "I see that reservation NO6JO3 is a round trip from Las Vegas to Denver for 2 passengers. The cost of adding travel insurance is $60 in total, which I would charge to credit_card_4421486. Would you like to go ahead with adding the insurance?",
    yes: [
      "Yes, please add the insurance.",
      "Yes, I'd like to go ahead with adding the insurance.",
      "Yes, go ahead and charge credit_card_4421486.",
      "Yes, please go ahead with that.",
      "Yes, please add travel insurance for both passengers.",
      "Okay, please add it."
    ]
  },
  {
    question:
      "Here's what I will do:\n1. Cancel order #W2611340 (reason: no longer needed)\n2. Refund $1,203.50 to PayPal\n\nDo I have your confirmation to proceed (yes/no)?",
    yes: [
      "Yes, you have my confirmation to proceed.",
      "Yes, you have my confirmation.",
      "Yes, please cancel order #W2611340 and refund $1,203.50 to PayPal.",
      "Yes, please cancel the order.",
      "Yes, I confirm. Go ahead, please.",
      "Yes, please do so."
    ]
  },
  {
    question:
      "The available replacement is the 1000ml stainless steel bottle in blue, which costs $46.66. You would pay a difference of $1.74 with your gift card. Shall I go ahead with exchanging your bottle for this one?",
    yes: [
      "Yes, please go ahead with the exchange.",
      "Yes, exchange my bottle for this one.",
      "Yes, that sounds good. Please go ahead.",
      "Yes, please use my gift card for the difference.",
      "Yes, I'd like the blue bottle.",
      "Sure, that works for me."
    ]
  },
  {
    question:
      "Your address on file is 445 Maple Drive, Suite 394, Fort Worth, TX 76165. I'll update the user address and the shipping address of both pending orders to this one. Is everything correct so far?",
    yes: [
      "Yes, everything is correct.",
      "Yes, it is all correct. Please update both.",
      "Yes, that's right. Please go ahead with the update.",
      "Correct.",
      "Yes, please update the address.",
      "Everything is correct, please proceed."
    ]
  },
  {
    question: "Would you like me to share the document \"Budget 2027\" with lena@corp.com as an editor?",
    yes: [
      "Yes, share it.",
      "Yes, please share the document with lena@corp.com.",
      "Yes, as an editor.",
      "Yes, share Budget 2027 with lena@corp.com as an editor please",
      "Sure, please do that."
    ]
  },
  {
    question: "Deploy version 2.4.1 to production now?",
    yes: ["Yes, deploy it.", "yes, deploy version 2.4.1 to production", "yep, deploy now", "Yes, now."]
  },
  {
    question: "Der Gutschein über 80 Euro geht an lena@firma.de. Darf ich ihn jetzt verschicken?",
    yes: [
      "Ja, bitte verschicken.",
      "Ja, Sie dürfen ihn verschicken.",
      "Ja, verschicken Sie den Gutschein.",
      "Ja, schicken Sie ihn an lena@firma.de"
    ]
  },
  {
    question: "Votre rendez-vous du lundi 3 mai sera déplacé au jeudi 6 mai à 14 h. Cela vous convient-il ?",
    yes: ["Oui, cela me convient.", "Oui, déplacez le rendez-vous.", "Oui, ça me va très bien.", "Parfait, merci."]
  },
  {
    question: "Entonces le reservo dos entradas para el viernes por 30 euros. ¿Procedo?",
    yes: ["Sí, proceda.", "Sí, reserve dos entradas.", "Sí, resérvelas por favor.", "Adelante, gracias."]
  },
  {
    question: "Confirma a compra de 2 bilhetes para Évora por 24 euros?",
    yes: ["Sim, confirmo a compra.", "Confirmo.", "Sim, compre os bilhetes.", "Sim, está tudo certo."]
  },
  {
    question: "Le spedisco il pacco a Via Dante 7, va bene?",
    yes: ["Sì, va bene.", "Sì, lo spedisca.", "Sì, spedisca il pacco a Via Dante 7.", "Va benissimo, grazie."]
  },
  {
    question: "Mag ik 40 euro van uw rekening afschrijven voor de tickets?",
    yes: ["Ja, dat mag.", "Ja, u mag 40 euro afschrijven.", "Ja, prima.", "Akkoord, doe maar."]
  },
  {
    question: "Czy mam wysłać paczkę na adres Polna 5?",
    yes: ["Tak, proszę wysłać.", "Tak, wyślij paczkę.", "Jasne, wyślij na adres Polna 5."]
  },
  {
    question: "האם לשלוח את החבילה לרחוב הרצל 5?",
    yes: ["כן, תשלח", "כן, לשלוח את החבילה בבקשה", "בטח, תשלח את החבילה"]
  },
  {
    question: "Would you like to proceed with the cancellation? Please confirm with a \"yes\" to proceed.",
    yes: [
      "Yes, please proceed with the cancellation.",
      "Yes",
      "Yes, I'd like to cancel it please. Thanks so much for your assistance!",
      "Yes. Cancel the whole reservation, please.",
      "Yes, I confirm. Go ahead and cancel it.",
      "Yes, I understand. Please cancel it.",
      "yes to proceed",
      "\"Yes\"",
      "Yes, I am sure. Please go ahead.",
      "Yes, I would like to proceed with cancelling the reservation."
    ]
  },
  {
    question:
      "I can cancel order #W5918442 for you. The reason for cancellation will be recorded as \"no longer needed\", and the refund of $412.88 will go back to your original payment method (PayPal) within 5-7 business days.\n\nDo you confirm that you want to proceed with this cancellation? (yes/no)",
    yes: [
      "Yes, I confirm. Please proceed with the cancellation of order #W5918442.",
      "Yes, please cancel the order. No longer needed is the right reason.",
      "Yes, I want to cancel order #W5918442 because I no longer need it.",
      "Yes, that's right, please refund it to my PayPal.",
      "Yes, please go ahead and cancel, and refund the amount to the original payment method.",
      "Yes, I do confirm that.",
      "Yes, go ahead. I no longer need it."
    ]
  },
  {
    question:
      "Here are the details of the exchange:\n\n- **Order ID:** #W2378156\n- **Item to be exchanged:** Mechanical Keyboard (clicky, RGB, full size), item ID 1151293680\n- **New item:** Mechanical Keyboard (clicky, no backlight, full size), item ID 7706410293\n- **Price difference:** $3.11 refund to your credit card ending in 2697\n\nWould you like to proceed with this exchange? Please reply with \"yes\" to confirm.",
    yes: [
      "Yes, please proceed with the exchange. Thank you!",
      "Yes, that's the keyboard I want. Please go ahead with the exchange.",
      "Yes, please go ahead and process the exchange for the keyboard.",
      "Yes, I'm happy with that. Please exchange it.",
      "Yes, everything is correct. Please proceed with the exchange as described.",
      "Yes, please exchange the clicky RGB keyboard for the one with no backlight.",
      "Yes, refund the difference to my credit card ending in 2697. Thanks.",
      "Yes that sounds great! Please do.",
      "Yes, those details look right to me."
    ]
  },
  {
    question:
      "To summarize, you would like to exchange the following items from order #W6247578:\n\n1. Smart Thermostat (Google Assistant compatible, stainless steel) -> Smart Thermostat (Apple HomeKit compatible, black), $260.11\n2. Water Bottle (500ml) -> Water Bottle (1000ml), $49.30\n\nThe price difference of $12.45 will be charged to your gift card gift_card_8168843. Do you confirm these details and wish to proceed with the exchange?",
    yes: [
      "Yes, I confirm these details. Please proceed with the exchange.",
      "Yes, the details are correct. Please proceed with the exchange using my gift card.",
      "Yes, please go ahead and process the exchange for both items, charging the difference to my gift card.",
      "Yes, that's all correct! Go ahead with both exchanges.",
      "Yes, please exchange the thermostat and the water bottle.",
      "Yes, I wish to proceed.",
      "Yeah that's fine, charge the $12.45 to my gift card",
      "Yes, everything looks good to me. Please finalize the exchange."
    ]
  },
  {
    question:
      "You want to return the Office Chair and the Desk Lamp from order #W4817420. The refund will be issued to your PayPal account. Please confirm if you would like to proceed with the return (yes/no).",
    yes: [
      "Yes, I would like to proceed with the return, and I'd like the refund to go to my PayPal account.",
      "Yes, please return both items.",
      "Yes, please process the return for the office chair and desk lamp.",
      "Yes, please return the chair and the lamp and issue the refund to PayPal.",
      "Yes. I confirm the return of both items.",
      "Yes, I'd like to return them. Thank you for making this easy!",
      "Yes, that works for me."
    ]
  },
  {
    question:
      "I found the following flight:\n\n**Flight HAT083**: New York (JFK) to Seattle (SEA), departing May 20 at 11:00 AM, economy, $155 per passenger.\n\nPassenger: Mia Li. 3 checked bags. No travel insurance. Payment: certificate_7504069 ($250) and credit card ending in 7447 for the rest.\n\nWould you like me to proceed with this booking? (yes/no)",
    yes: [
      "Yes, please book that flight.",
      "Yes, please proceed with the booking using the certificate and the credit card.",
      "Yes, please go ahead and book it with 3 checked bags and no travel insurance.",
      "Yes, that looks good. Please book flight HAT083 for Mia Li.",
      "Yes, I'd like to proceed with this booking. Please use my certificate first and put the rest on my credit card ending in 7447.",
      "Yes, all the details are correct. Please complete the booking.",
      "Perfect, yes, book it!",
      "Yes, that's the one. Please proceed with the booking.",
      "Yes, 11:00 AM is perfect. Please go ahead.",
      "Yes, that flight works. Book it please, no insurance."
    ]
  },
  {
    question:
      "The total cost of the change is $214. Here is what will change in reservation EHGLP3:\n- Outbound: HAT169 on May 25\n- Cabin: economy to business\nShall I go ahead and update your reservation using your credit card ending in 4421?",
    yes: [
      "Yes, please go ahead and update my reservation.",
      "Yes, please use the credit card ending in 4421.",
      "Yes, the $214 is fine. Please charge it to my card ending in 4421.",
      "Yes, update it to business class please.",
      "Yes, you can go ahead and make those changes.",
      "Yes, please proceed with the changes to my reservation.",
      "Sure, go ahead and update the reservation with my credit card."
    ]
  },
  {
    question:
      "Adding two checked bags to reservation M20IZO costs $100, which will be charged to gift_card_5094406. Do you want me to add them?",
    yes: [
      "Yes, please add them.",
      "Yes, please add the two checked bags and charge the gift card.",
      "Yes, add two checked bags and use my gift card for the $100.",
      "Yes, I'd like that. Please use the gift card.",
      "Yes, I'd like you to add them. Thank you!",
      "Yes, $100 is okay. Add them."
    ]
  },
  {
    question:
      "I will update the shipping address of your pending order #W9348897 to 445 Maple Drive, Suite 394, Fort Worth, TX 76165. Is that correct, and shall I make the change?",
    yes: [
      "Yes, that's correct, please make the change.",
      "Yes, that is the correct address. Please update it.",
      "Yes, that address is correct. Please go ahead and make the change.",
      "Yes, 445 Maple Drive, Suite 394, Fort Worth is right.",
      "Yes, please update the shipping address to 445 Maple Drive, Suite 394, Fort Worth, TX 76165.",
      "Correct. Please make the change."
    ]
  },
  {
    question: "Shall I proceed?",
    yes: [
      "Yes, please proceed. I appreciate your help.",
      "Yes, please do so.",
      "Yes, by all means.",
      "Yes, let's do it.",
      "Yes, I'm ready. Proceed.",
      "Yes, that would be great."
    ]
  },
  {
    question: "Please confirm that you'd like me to make these changes by replying \"yes\".",
    yes: [
      "Yes, please make these changes.",
      "Yes, please confirm the changes.",
      "Yes, I'd like you to make these changes. Thanks.",
      "yes, make the changes pls",
      "Yes, those changes are exactly what I want."
    ]
  },
  {
    question:
      "Since your flight was cancelled, I can issue a certificate of $150 as a gesture of goodwill. Would you like me to issue it now?",
    yes: [
      "Yes, please issue the certificate. Thank you for understanding.",
      "Yes, I would like that, thank you.",
      "Yes, please issue it now.",
      "Yes, I'd appreciate that. Please issue the $150 certificate.",
      "That would be wonderful, yes please."
    ]
  },
  {
    question:
      "I will change the passenger's name on reservation 3RK2T9 from Anya Garcia to Mei Lee. Do you want to proceed?",
    yes: [
      "Yes, please change the passenger's name to Mei Lee.",
      "Yes, please proceed with changing the name.",
      "Yes, please change it from Anya Garcia to Mei Lee.",
      "Yes, I want to proceed with the name change."
    ]
  },
  {
    question:
      "Upgrading all flights in reservation XEHM4B to business class will cost an additional $1,130, paid with credit card credit_card_5794036. Would you like to go ahead with the upgrade?",
    yes: [
      "Yes, please upgrade all flights to business class using that card.",
      "Yes, please go ahead with the upgrade. The additional cost is fine.",
      "Yes, I'm okay with the cost. Please go ahead with the upgrade to business class.",
      "Yes, go ahead and upgrade us to business."
    ]
  },
  {
    question:
      "Your payment method for order #W8855135 will be switched from the credit card to PayPal. Do you agree to this change?",
    yes: [
      "Yes, I agree to this change.",
      "Yes, I agree. Please switch it to PayPal.",
      "Yes, please switch the payment method to PayPal. Thank you very much for your help today."
    ]
  },
  {
    question:
      "Just to make sure: the pending order can only be modified once, so please verify that all items are included. Item 9690244451 (bicycle, medium, black) will be changed to 2143041831 (bicycle, medium, green), and the difference of $18.63 will be refunded to gift_card_4332117. Would you like me to submit this modification?",
    yes: [
      "Yes, that is all I want to change. Please submit the modification.",
      "Yes, all items are included. Please submit it.",
      "Yes, please submit this modification. The green bicycle is the one I want.",
      "Yes, I've verified everything. Please proceed.",
      "Yes, please go ahead and submit the modification and refund the difference to the gift card."
    ]
  },
  {
    question:
      "You have the following reservation: ID **3JA7XV**, one way from Detroit (DTW) to Los Angeles (LAX) on May 17, cabin economy, 2 passengers. Because it has travel insurance, you are eligible for a full refund of $326.\n\nWould you like to proceed with the cancellation? Please confirm with a \"yes\" to proceed.",
    yes: [
      "Yes, please proceed with the cancellation of my reservation 3JA7XV.",
      "Yes, please proceed with the cancellation and the full refund.",
      "Yes, I would like to cancel it and get the full refund. Thank you.",
      "Yes, that is how I want it.",
      "Yes, so be it",
      "Yes, it fits my plans",
      "Yes please cancel both passengers.",
      "Yes, we have decided to cancel. Please go ahead.",
      "yes. cancel reservation 3JA7XV from Detroit to Los Angeles.",
      "Yes, a full refund of $326 sounds good. Please proceed."
    ]
  },
  {
    question:
      "To cancel your order #W1154986, please confirm the reason: \"ordered by mistake\". The refund of $1,204.30 will be processed to your credit card ending in 3314 in 5 to 7 business days. Would you like to proceed?",
    yes: [
      "Yes, I'd like to proceed. The reason is that I ordered it by mistake.",
      "Yes, ordered by mistake is the right reason.",
      "Yes, it was ordered by mistake. Please cancel.",
      "Yes, please cancel my order #W1154986 with the reason \"ordered by mistake\".",
      "Yes, the reason is correct. Please proceed with the cancellation.",
      "Yes, I would like to proceed with the cancellation of the order.",
      "Yes, and thank you for processing the refund to my credit card.",
      "yes i'd like to proceed thanks"
    ]
  },
  {
    question:
      "I understand. Let me make sure that I have this right. You'd like to cancel both reservations, XEHM4B and 59XX6W, and receive a refund to your original payment methods. Please confirm (yes/no).",
    yes: [
      "Yes, please cancel both reservations.",
      "Yes, both of them please.",
      "Yes, cancel XEHM4B and 59XX6W.",
      "Yes, I confirm that I want both cancelled.",
      "Yes, that's right. Please cancel them both and refund my original payment methods.",
      "Yes, you have understood me correctly. Please cancel."
    ]
  },
  {
    question:
      "Here's a summary of the exchange for order #W9711842:\n\n1. Pet Bed (size: large, material: memory foam, color: brown) → Pet Bed (size: medium, material: polyester, color: brown): -$4.11\n2. Perfume (scent: fresh, size: 100ml) → Perfume (scent: oriental, size: 50ml): -$15.20\n\nYou will be refunded $19.31 to your PayPal account. Do you confirm the exchange details above?",
    yes: [
      "Yes, I confirm the exchange details.",
      "Yes, the exchange details are correct. Please go ahead.",
      "Yes, I confirm the details above. Please process the exchange and refund the difference to my PayPal account.",
      "Yes, that's exactly right: the medium polyester bed and the 50ml oriental perfume.",
      "Yes, please proceed with exchanging the pet bed and the perfume.",
      "Yes, all of the above is correct.",
      "Yes, confirmed. Thanks for the quick help!",
      "Yes, I confirm. You can send the refund to PayPal."
    ]
  },
  {
    question:
      "The red backpack is available. Item ID 3557711149, price $205.35. There's a price difference of $9.20 to be paid. Which means your Visa ending in 9513 will be charged. Shall I go ahead and exchange the grey backpack for the red one?",
    yes: [
      "Yes, please exchange the grey backpack for the red one.",
      "Yes, go ahead and charge my Visa.",
      "Yes, I'd like the red one. Please charge the difference to my Visa ending in 9513.",
      "Yes, the price difference is fine, go ahead.",
      "Yes, I am willing to pay the difference. Please go ahead with the exchange.",
      "Yes, please go ahead with that exchange. I really love the red color.",
      "Sure! Please exchange it for the red one."
    ]
  },
  {
    question:
      "To initiate the return of the vacuum cleaner (item 6259501109) from delivered order #W6436609, I need your explicit confirmation. You will get an email with instructions on how to send the item back. The refund goes to gift_card_7219486. Do you want to proceed?",
    yes: [
      "Yes, I want to proceed with the return of the vacuum cleaner.",
      "Yes, please initiate the return.",
      "Yes, please initiate the return and send me the email with the instructions.",
      "Yes, a refund to my gift card is fine. Please start the return.",
      "Yes, I explicitly confirm that I want to return it.",
      "Yes, go ahead and return the vacuum, thank you kindly.",
      "I do want to proceed, yes."
    ]
  },
  {
    question:
      "Here is the flight I will book for you:\n\n- Flight Number: HAT271\n- From: San Francisco (SFO), To: New York (JFK)\n- Date: May 26, departing 18:00, arriving 02:30 (+1)\n- Class: Economy, $290\n- Passengers: Sophia Martin, born 1981-01-22\n- Baggage: 1 checked bag (free for gold members)\n- Insurance: none\n- Payment: travel certificate certificate_9984806 and the remainder by Mastercard ending in 7334\n\nDo you want me to book it? Please answer with yes or no.",
    yes: [
      "Yes, please book it.",
      "Yes, please book this flight for Sophia Martin.",
      "Yes, please book HAT271 with one checked bag, using the certificate and then the Mastercard.",
      "Yes, everything you listed is correct. Please book the flight.",
      "Yes, I don't need insurance. Please book it.",
      "Yes, that all looks perfect, book it please!",
      "Yes, book the flight and use my travel certificate. The remainder can go on my Mastercard.",
      "Yes, please. One checked bag is enough.",
      "That's the flight I want. Yes, book it."
    ]
  },
  {
    question:
      "I can rebook you on the earlier flight HAT136 at 6:00 AM in the same cabin. The fare difference is $52. You can pay with the gift card gift_card_6276644. Shall I make this change for you?",
    yes: [
      "Yes, please make this change.",
      "Yes, please rebook me on the earlier flight.",
      "Yes, the earlier flight works much better for me. Please make the change.",
      "Yes, I'd like to take the 6:00 AM flight and pay with my gift card.",
      "Yes, please do. I'll pay the $52 with the gift card.",
      "Yes, please go ahead with HAT136, and charge the fare difference to my gift card.",
      "Yep, that one is good. Go ahead."
    ]
  },
  {
    question:
      "Changing the cabin to business for all three passengers costs $2,613 in total. This is charged to the card on file. Do you want to proceed with the upgrade?",
    yes: [
      "Yes, please upgrade all three passengers to business.",
      "Yes, please go ahead and upgrade everyone to business.",
      "Yes, I'd like to go ahead with the upgrade using the card on file.",
      "Yes, $2,613 is fine.",
      "Yes, we'd like the upgrade, please proceed.",
      "Yes, do the upgrade please. Business class for all of us."
    ]
  },
  {
    question:
      "Your order #W3792453 is pending. I will change the payment method from PayPal to gift_card_2968312, which has a balance of $66, and update the delivery address to 912 Elm Avenue, Suite 173, Denver, CO 80218. May I proceed with these two updates?",
    yes: [
      "Yes, please proceed with these two updates.",
      "Yes, please proceed with both updates.",
      "Yes, please make both changes.",
      "Yes, please change the payment method to the gift card and update the address.",
      "Yes, you may proceed with the updates. The address is right.",
      "Yes, go ahead with the address and payment updates.",
      "Yes, that's my new address and I want to use the gift card."
    ]
  },
  {
    question:
      "Okay! I will modify item 6777246137 (pants, size M) to 7159180318 (pants, size L). No price difference. Note that once the items are modified, the order can't be modified or cancelled any more. Do you still want me to go on?",
    yes: [
      "Yes, I still want you to go on.",
      "Yes, I understand. Please go on and modify the item.",
      "Yes, please change the pants to size L.",
      "Yes, I'm aware that it can't be modified any more. Go ahead.",
      "Yes, I'm sure. Size L please.",
      "Yes, please modify the pants from size M to size L. I understand the order can't be changed afterwards."
    ]
  },
  {
    question: "As compensation I can send you a $200 certificate. Is that acceptable to you?",
    yes: [
      "Yes, that is acceptable. Thank you for the compensation.",
      "Yes, a $200 certificate is acceptable.",
      "Yes, that's very generous. Thank you.",
      "Yes, please send me the certificate.",
      "Yes, I accept the certificate.",
      "Yes, that works, I'll accept the $200 certificate."
    ]
  },
  {
    question: "I'll transfer your remaining points, 12,400, to Raj Lee's account. Please say yes if you want this.",
    yes: [
      "Yes, I want this.",
      "Yes, please transfer the points to Raj Lee's account.",
      "Yes, transfer all my remaining points to Raj."
    ]
  },
  {
    question: "Shall I go ahead?",
    yes: [
      "Yes, go ahead please and thank you",
      "Yes, that'd be awesome.",
      "Yes, go right ahead.",
      "Absolutely, please proceed!"
    ]
  },
  {
    question: "Is this information correct?",
    yes: [
      "Yes, the information is all correct.",
      "Yes, it is all correct, thank you.",
      "Yes it is."
    ]
  },
  {
    question: "Can you confirm that this is what you'd like?",
    yes: [
      "Yes, this is what I'd like.",
      "Yes, I can confirm that this is what I'd like.",
      "Yes, that is what I'd like you to do."
    ]
  },
  {
    question:
      "You asked for 2 extra suitcases on reservation JMO1MG: total $100, paid with credit card ending in 2135. Do I have your approval to add them?",
    yes: [
      "Yes, you have my approval.",
      "Yes, please add the 2 extra suitcases and charge my credit card.",
      "Yes, you have my approval to add them. Please use the card ending in 2135.",
      "Yes, please add both suitcases to my reservation."
    ]
  },
  {
    question:
      "Your reservation 4OG6T3 qualifies for cancellation because it was booked within the last 24 hours. The total refund will be $588, returned to gift_card_1234567 within 5 to 7 business days.\n\nWould you like to proceed with the cancellation? Please confirm with a \"yes\" to proceed.",
    yes: [
      "Yes, I would like to proceed with the cancellation and receive the refund.",
      "Yes, please cancel it and refund the $588 to my gift card.",
      "Yes, proceed with cancelling my reservation, please.",
      "Yes, that's perfectly fine. Please cancel reservation 4OG6T3.",
      "yes pls proceed",
      "Yes, I want to cancel. Thank you for the quick refund.",
      "Yes, a refund to my gift card works. Go ahead.",
      "Yes, please do cancel it, I can't make the trip anymore.",
      "Yes. Thank you, please proceed with the cancellation and refund.",
      "Yes, I understand that the refund takes 5 to 7 business days. Please proceed."
    ]
  },
  {
    question:
      "I can help you return these items from order #W7678072:\n\n1. Running Shoes - $155.33\n2. Backpack - $197.27\n\nTotal refund: $352.60 to paypal_4164172. You'll receive an email with return instructions. Do you want to proceed with this return?",
    yes: [
      "Yes, please proceed with the return of both items.",
      "Yes, please return the running shoes and the backpack to get the refund on PayPal.",
      "Yes, I want to return these items. Thanks!",
      "Yes, I'd like to proceed with this return. I'll wait for the email.",
      "Yes, the total of $352.60 is right. Please proceed.",
      "Yes, please go ahead and process the return to my PayPal account.",
      "Yes please, return them both.",
      "Yes, that matches what I wanted. Please proceed."
    ]
  },
  {
    question:
      "Here is a summary of the modification of order #W5270061:\n- Current item: Bluetooth Speaker (green), $295\n- New item: Bluetooth Speaker (blue), $300\n- Price difference of $5 will be paid with credit_card_5565393\n\nDo you confirm these changes? (yes/no)",
    yes: [
      "Yes, I confirm these changes.",
      "Yes, please change the speaker to the blue one and charge the $5 to my credit card.",
      "Yes, I confirm. Please change it to blue.",
      "Yes, the changes look good. Please go ahead.",
      "Yes, I'm fine with paying the $5 difference. Please proceed.",
      "Yes, please proceed with the modification for the blue Bluetooth speaker.",
      "Yes, confirmed. Blue speaker, credit card.",
      "Yes, those changes are correct. Thank you for your assistance.",
      "Yes, go ahead with the changes and use the card."
    ]
  },
  {
    question:
      "I'd be happy to help with that. I will book a round trip from Boston to Miami on May 18 for you and your brother in basic economy, for $412 total, with the gift card ending in 0042. Should I finalize the booking?",
    yes: [
      "Yes, please finalize the booking.",
      "Yes, please book it for me and my brother.",
      "Yes, please finalize the booking with the gift card ending in 0042. Thank you!",
      "Yes, that sounds right. Please finalize it.",
      "Yes, please go ahead and finalize the round trip for both of us.",
      "Yes, $412 total is okay with me. Book it.",
      "Yes, I'd like you to finalize the booking in basic economy.",
      "Yes, please proceed, we are looking forward to it."
    ]
  },
  {
    question:
      "The passenger details of reservation MZDDS4 will be updated: Daiki Lee becomes Daiki Lopez, born 1990-04-12. Please confirm that this is right so that I can apply the update.",
    yes: [
      "Yes, that is right. Please apply the update.",
      "Yes, Daiki Lopez is correct.",
      "Yes, the passenger details are correct, please update them.",
      "Yes, this is right. You can apply the update now.",
      "Yes, please update the name to Daiki Lopez.",
      "Yes that's right, thanks."
    ]
  },
  {
    question:
      "I will switch your two flights on May 21 to HAT290 and HAT175, in economy. You will get a refund of $81 to your original payment method. Shall I make the switch?",
    yes: [
      "Yes, please make the switch.",
      "Yes, please switch both flights.",
      "Yes, please switch my flights to HAT290 and HAT175 and refund the $81.",
      "Yes, I'd like to switch. The refund to the original payment method is fine.",
      "Yes, those flights work for me. Please make the switch.",
      "Yes, economy is fine. Go ahead with the switch."
    ]
  },
  {
    question:
      "Do you want me to transfer you? I can also cancel order #W2417020 right away for the reason \"no longer needed\". Please confirm with yes if I should cancel the order.",
    yes: [
      "Yes, please cancel the order.",
      "Yes, cancel order #W2417020 please.",
      "Yes, you should cancel the order. No longer needed.",
      "Yes, please go ahead and cancel it for that reason."
    ]
  },
  {
    question:
      "Is there anything else that should be exchanged? If not, please confirm that I can submit the exchange of the tea kettle for the glass, 2 liter version, with the difference of $7.27 refunded to your PayPal.",
    yes: [
      "Yes, please submit the exchange.",
      "Yes, I confirm. Please submit the exchange for the glass tea kettle.",
      "Yes, you can submit the exchange of the tea kettle.",
      "Yes, please submit the exchange and refund the difference to my PayPal.",
      "Yes, that is everything. Please submit the exchange."
    ]
  },
  {
    question: "May I go ahead and update your default address to 667 Highland Drive, Cedarville, OH 45314?",
    yes: [
      "Yes, please update my default address to 667 Highland Drive.",
      "Yes, you may update it.",
      "Yes, that's my address. Go ahead.",
      "Yes, please do update the address, thanks."
    ]
  },
  {
    question: "Are you sure you want to remove the insurance? (yes/no)",
    yes: [
      "Yes, I am sure.",
      "Yes, I'm sure I want to remove it.",
      "Yes, please remove the insurance.",
      "Yes, remove it. I won't need it."
    ]
  }
]
