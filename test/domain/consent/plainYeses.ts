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
  }
]
