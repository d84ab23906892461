/**
 * Plain yes messages of customers and of simulated users, in nine languages. Each part was written before the rules of
 * recognition met it.
 */
import type { Answered } from "./plainYeses.js"

export const customerYeses: ReadonlyArray<Answered> = [
  {
    question:
      "I have found your order #W5442520. The refund of $48.35 will go to your original payment method. Do you want me to go ahead and cancel this order? Please confirm (yes/no).",
    yes: [
      "Yes, please go ahead and cancel the order.",
      "Yes, I confirm. Please cancel it. Thank you!"
    ]
  },
  {
    question:
      "To summarize: I will exchange the mechanical keyboard for the linear switch version. The price difference of $12.50 will be charged to your PayPal account. Would you like to proceed?",
    yes: [
      "Yes, that's correct. Please go ahead and process the exchange.",
      "Yes, PayPal is fine. Please proceed with the exchange.",
      "Yes, I'd like to proceed."
    ]
  },
  {
    question:
      "Here are the details of your new booking: flight HAT083 on May 17, economy, one passenger. Is everything correct, and shall I book it?",
    yes: [
      "Yes, everything looks right, thank you. Please book it.",
      "Yes, all the details are correct. Please proceed with booking.",
      "Looks good to me, book it please"
    ]
  },
  {
    question: "Shall I cancel your reservation JMO1MG?",
    yes: [
      "Yes, please cancel reservation JMO1MG.",
      "Yes please, cancel it.",
      "yep go for it",
      "Yes, that would be great, thanks!"
    ]
  },
  {
    question: "I can change your address to 445 Maple Drive, Fort Worth, TX 76165. Do you confirm?",
    yes: [
      "Yes, I confirm the address change.",
      "Yes, that's the right address. Please update it.",
      "Confirmed.",
      "Yes, please update my address to 445 Maple Drive."
    ]
  },
  {
    question: "Would you like to upgrade to business class for an additional $230?",
    yes: [
      "Yes, I would like to upgrade to business class.",
      "Yes, I'm okay with the additional cost. Please upgrade me.",
      "Sure, $230 is fine. Go ahead.",
      "Yes, please do the upgrade."
    ]
  },
  {
    question:
      "I will return the following items: Water Bottle, Desk Lamp. The refund will be issued to your credit card ending in 4421. Do you want to proceed with the return?",
    yes: [
      "Yes, I want to proceed with the return.",
      "Yes, please return both items and refund my credit card.",
      "Yes, the credit card works for me. Please proceed.",
      "Yes, that all sounds good. Please go ahead with the return."
    ]
  },
  {
    question: "Shall I transfer 500 euros to Ben Miller?",
    yes: [
      "Yes, transfer the money.",
      "Yes, please send 500 euros to Ben Miller.",
      "Absolutely, go ahead!",
      "ok do it"
    ]
  },
  {
    question:
      "Please confirm: you would like to delete your account and all associated data permanently. Type \"yes\" to continue.",
    yes: [
      "yes",
      "Yes, please delete my account.",
      "Yes, I understand. Please delete it permanently.",
      "YES, I'm sure."
    ]
  },
  {
    question: "Are you sure you want to remove the extra baggage from your reservation?",
    yes: [
      "Yes, I am sure. Please remove it.",
      "Yes, I'm positive.",
      "I'm sure, go ahead"
    ]
  },
  {
    question:
      "I'd be happy to help. I will turn on roaming for your line 555-123-2002. There is no additional charge. Is that okay?",
    yes: [
      "Yes, that's fine. Please turn it on.",
      "Yes, please turn on roaming.",
      "That works, thank you so much!"
    ]
  },
  {
    question: "I can refuel your plan with 2 GB of data at $2 per GB, for a total of $4. Shall I go ahead?",
    yes: [
      "Yes, please go ahead with the 2 GB refuel.",
      "Yes, $4 is fine. Please add it.",
      "Sounds good. Please proceed."
    ]
  },
  {
    question: "Your appointment with Dr. Patel on Monday at 3 pm will be moved to Tuesday at 10 am. Shall I move it?",
    yes: [
      "Yes, Tuesday at 10 am works. Please move it.",
      "Yes, please move my appointment to Tuesday at 10 am.",
      "Perfect, thanks"
    ]
  },
  {
    question: "Would you like me to book a table for 4 at Luigi's at 7:30 pm tonight?",
    yes: [
      "Yes, book the table please.",
      "Yes, that would be perfect. Thank you for your help!",
      "Yes, book it for 7:30."
    ]
  },
  {
    question: "Shall I place the order for two pizzas margherita?",
    yes: [
      "Yeah, place the order",
      "Yes, order them please"
    ]
  },
  {
    question: "Should I file the complaint against the seller on your behalf?",
    yes: [
      "Yes, please file the complaint.",
      "Please do, thank you.",
      "Yes, go ahead and file it on my behalf."
    ]
  },
  {
    question: "Do you want to use your gift card gift_card_5094406 to pay for the modification?",
    yes: [
      "Yes, please use the gift card.",
      "Yes, please use my gift card for the payment.",
      "Yes, I'd like to use that gift card."
    ]
  },
  {
    question: "Soll ich Ihre Buchung H4711 im Hotel Adler stornieren?",
    yes: [
      "Ja, bitte stornieren Sie die Buchung.",
      "Ja bitte, stornieren.",
      "Ja, das können Sie gerne machen."
    ]
  },
  {
    question: "Möchten Sie, dass ich 200 Euro an Frau Becker überweise?",
    yes: [
      "Ja, bitte überweisen Sie das Geld.",
      "Genau, so machen wir das."
    ]
  },
  {
    question: "Ich ändere Ihre Adresse auf Lindenweg 5, 10115 Berlin. Ist das richtig?",
    yes: [
      "Ja, das stimmt so. Vielen Dank!",
      "Ja, die Adresse ist richtig, bitte ändern."
    ]
  },
  {
    question: "Zal ik uw afspraak van dinsdag om 10 uur annuleren?",
    yes: [
      "Ja, annuleer de afspraak maar.",
      "Ja graag, dank u wel",
      "Prima, doe maar."
    ]
  },
  {
    question: "Wilt u de kamer voor twee nachten boeken?",
    yes: [
      "Ja, ik wil de kamer graag boeken.",
      "Ja, dat klopt, ga je gang"
    ]
  },
  {
    question: "Het bedrag van 45 euro wordt teruggestort op uw rekening. Gaat u akkoord?",
    yes: [
      "Ja, ik ga akkoord.",
      "Akkoord, bedankt!"
    ]
  },
  {
    question: "Voulez-vous que j'annule votre commande n° 8812 ?",
    yes: [
      "Oui, annulez la commande s'il vous plaît.",
      "Oui, merci de l'annuler.",
      "Oui, vous pouvez l'annuler."
    ]
  },
  {
    question: "Je réserve une table pour quatre personnes demain à 20 h. Je confirme ?",
    yes: [
      "Oui, c'est parfait, merci beaucoup.",
      "Oui, allez-y, réservez la table."
    ]
  },
  {
    question: "Dois-je virer 300 euros à Paul Martin ?",
    yes: [
      "Oui, faites le virement.",
      "Oui je confirme"
    ]
  },
  {
    question: "¿Desea que cancele su reserva en el hotel Sol?",
    yes: [
      "Sí, por favor, cancele la reserva.",
      "Sí, cancélala por favor.",
      "Sí, adelante, muchas gracias."
    ]
  },
  {
    question: "Voy a cambiar su vuelo al 12 de mayo con un cargo de 35 euros. ¿Está de acuerdo?",
    yes: [
      "Sí, estoy de acuerdo. Proceda con el cambio.",
      "De acuerdo, 35 euros está bien."
    ]
  },
  {
    question: "¿Quiere que le envíe la factura a ana@correo.es?",
    yes: [
      "Sí, envíela a ana@correo.es.",
      "Claro que sí, envíemela."
    ]
  },
  {
    question: "Posso cancelar o seu pedido 3391?",
    yes: [
      "Sim, pode cancelar.",
      "Sim, por favor, cancele o pedido.",
      "Pode sim, obrigado."
    ]
  },
  {
    question: "Vou transferir 150 reais para João Silva. Confirma?",
    yes: [
      "Sim, confirmo a transferência.",
      "Confirmo, pode transferir."
    ]
  },
  {
    question: "Deseja reservar o quarto por três noites?",
    yes: [
      "Sim, quero reservar o quarto.",
      "Sim, está tudo certo, pode reservar."
    ]
  },
  {
    question: "Vuole che annulli la prenotazione al ristorante Roma?",
    yes: [
      "Sì, annulli pure la prenotazione.",
      "Sì, per favore la annulli.",
      "Certo, proceda pure."
    ]
  },
  {
    question: "Invio 80 euro a Marco Rossi?",
    yes: [
      "Sì, invia pure.",
      "Sì, va benissimo, grazie."
    ]
  },
  {
    question: "Confermo l'appuntamento per giovedì alle 15?",
    yes: [
      "Sì, confermi l'appuntamento.",
      "Sì, giovedì alle 15 va bene."
    ]
  },
  {
    question: "Czy mam anulować Pana rezerwację nr 5521?",
    yes: [
      "Tak, proszę anulować rezerwację.",
      "Tak, poproszę.",
      "Tak, proszę ją anulować."
    ]
  },
  {
    question: "Czy przelać 400 zł na konto Anny Nowak?",
    yes: [
      "Tak, proszę przelać.",
      "Tak, zgadza się, dziękuję."
    ]
  },
  {
    question: "Zmienię adres dostawy na Kwiatowa 8, Kraków. Czy wszystko się zgadza?",
    yes: [
      "Tak, wszystko się zgadza.",
      "Tak, adres jest poprawny, proszę zmienić."
    ]
  },
  {
    question: "האם לבטל את ההזמנה שלך במלון?",
    yes: [
      "כן, בטל את ההזמנה בבקשה.",
      "כן, תבטל אותה.",
      "כן, אפשר לבטל, תודה."
    ]
  },
  {
    question: "להעביר 300 שקל לדני כהן?",
    yes: [
      "כן, תעביר.",
      "בטח, קדימה."
    ]
  },
  {
    question: "האם הפרטים נכונים?",
    yes: [
      "כן, הכל נכון, תודה רבה.",
      "כן, הפרטים נכונים."
    ]
  },
  {
    question:
      "Here is what I will do:\n\n- Order: #W2378156\n- Item to exchange: Mechanical Keyboard (clicky, full size)\n- New item: Mechanical Keyboard (linear, 80%)\n- Price difference: -$3.20, refunded to credit_card_9513926\n\nWould you like to proceed with this exchange? (yes/no)",
    yes: [
      "Yes, I'd like to proceed with the exchange. Please refund the difference to my credit card.",
      "Yes, please go ahead and exchange the keyboard for the linear one.",
      "Yes, that looks correct to me. Let's go ahead with it.",
      "yes, do the exchange"
    ]
  },
  {
    question:
      "Since the cancellation is within 24 hours of booking, reservation Q69X3R is eligible for a full refund of $1,204 to your original payment method. It takes 5 to 7 business days. Do you want me to cancel it? Please reply \"yes\" to confirm.",
    yes: [
      "Yes, please cancel it and refund me. Thank you.",
      "Yes, I want to cancel the reservation and get the full refund.",
      "Yes, please. My plans have changed, so I don't need it anymore.",
      "That's great news! Yes, please go ahead."
    ]
  },
  {
    question:
      "I can offer a certificate of $150 as compensation for the delayed flight HAT045. It will be added to your account. Shall I issue it?",
    yes: [
      "Yes, that would be fantastic. Please issue the certificate.",
      "Yes, I accept the certificate. Thank you for understanding.",
      "Yes, I'll take it.",
      "I appreciate that. Yes, please."
    ]
  },
  {
    question:
      "The cheapest economy flight on May 24 is HAT127, departing from Newark at 7:00 and arriving in Houston at 10:05, for $133. There are 13 seats left. Passenger: Noah Muller, born 1985-10-04. No checked bags, no insurance. Payment with gift card gift_card_7480005. Shall I book this flight?",
    yes: [
      "Yes, please book this flight with my gift card.",
      "Yes, everything is correct. I don't need insurance or checked bags.",
      "Yes, HAT127 works perfectly. Please book it for me.",
      "That works for me. Please book it and charge it to my gift card.",
      "Yes, that's the one I want. Go ahead and book it."
    ]
  },
  {
    question:
      "I understand you'd like to return all three items of order #W5918442: the sneakers, the jigsaw puzzle and the backpack. You will get an email with instructions on how to return them. The refund of $512.30 goes to your PayPal account. Do you confirm the return?",
    yes: [
      "Yes, I confirm the return of all three items.",
      "Yes, I confirm. PayPal is good for the refund.",
      "Yes, go ahead. I'll watch for the email.",
      "Yes, return all of them please."
    ]
  },
  {
    question:
      "Your line 555-123-2002 is suspended because of an overdue bill of $75.50. I can send you a payment request for bill B1234321. Would you like me to do this?",
    yes: [
      "Yes, please send me the payment request.",
      "Yes, I'd like to pay the bill. Please send the request.",
      "Yes, please do that. I want to get my line working again.",
      "Sure, send it over."
    ]
  },
  {
    question:
      "We have a room available: double room with sea view, 3 nights from June 4 to June 7, breakfast included, 480 euros in total. Should I reserve it under the name Carter?",
    yes: [
      "Yes, please reserve it under Carter.",
      "Yes please, sounds lovely.",
      "Yes, reserve the room. The price is fine.",
      "Great, let's do it!"
    ]
  },
  {
    question:
      "I can add 1 checked bag to your reservation 4WQ150 for $50, charged to your Mastercard ending in 4487. Do you agree?",
    yes: [
      "Yes, I agree to the $50 charge.",
      "Yes, please add the bag and charge my Mastercard.",
      "I agree, please proceed.",
      "Yes, $50 on my Mastercard is fine."
    ]
  },
  {
    question: "You want to change the passenger name from Mei Lee to Mei Garcia on all flights. Is that right?",
    yes: [
      "Yes, that's right. Please make the change.",
      "Yes, please change it to Mei Garcia.",
      "That's exactly right."
    ]
  },
  {
    question:
      "Just to double check: I'm going to remove John Smith from the shared calendar. He will lose access at once. OK?",
    yes: [
      "ok",
      "Yes, remove him.",
      "Yes, please remove John from the calendar."
    ]
  },
  {
    question: "Would you like me to reset your password and send the new one to ann@x.org?",
    yes: [
      "Yes, reset it please",
      "Yes please reset my password",
      "Yes, ann@x.org is my email. Go ahead."
    ]
  },
  {
    question: "I'll transfer you to a human agent now. Is that okay with you?",
    yes: [
      "Yes, please transfer me.",
      "Yes, that's okay with me."
    ]
  },
  {
    question:
      "The modification will change the color of the boots from black to brown. The total does not change. Once done, the order can't be modified again. Do you want to continue?",
    yes: [
      "Yes, I understand and want to continue.",
      "Yes, I do. Please make the modification.",
      "Yes, brown please. Go ahead.",
      "Yes, continue"
    ]
  },
  {
    question: "Do you want to unsubscribe from the newsletter?",
    yes: [
      "Yes, unsubscribe me",
      "Yes, I don't want it any more. Please unsubscribe me.",
      "Definitely yes."
    ]
  },
  {
    question: "Shall I pay the invoice of Acme over 1,200 euros now?",
    yes: [
      "Yes, pay it now.",
      "Yes, pay the invoice.",
      "Yes, it's due today, so please pay it."
    ]
  },
  {
    question: "Shall I deploy version 2.3 to production?",
    yes: [
      "ship it",
      "Yes, deploy to production."
    ]
  },
  {
    question:
      "Ich habe folgende Verbindung gefunden: ICE 597, Abfahrt 8:05 in Berlin, Ankunft 12:10 in München, 2. Klasse, 89 Euro. Soll ich die Fahrkarte kaufen?",
    yes: [
      "Ja, kaufen Sie bitte die Fahrkarte.",
      "Ja, das passt gut. Bitte buchen.",
      "Ja, der Preis ist in Ordnung."
    ]
  },
  {
    question:
      "Die Rückerstattung von 45,90 Euro geht auf Ihr PayPal-Konto. Möchten Sie die Rücksendung jetzt anmelden?",
    yes: [
      "Ja, bitte melden Sie die Rücksendung an.",
      "Ja, ich möchte die Rücksendung anmelden."
    ]
  },
  {
    question: "Darf ich Ihren Vertrag zum 31. März kündigen?",
    yes: [
      "Ja, kündigen Sie ihn bitte.",
      "Ja, dürfen Sie."
    ]
  },
  {
    question: "Ik heb een tafel voor vier personen gevonden om 19.00 uur. Zal ik die reserveren?",
    yes: [
      "Ja, reserveer die tafel alsjeblieft.",
      "Ja, perfect, dank je wel!"
    ]
  },
  {
    question: "Wilt u dat ik uw adres wijzig in Kerkstraat 12, Utrecht?",
    yes: [
      "Ja, wijzig het adres maar.",
      "Ja, dat is goed."
    ]
  },
  {
    question: "Moet ik 120 euro overmaken naar Jan de Vries?",
    yes: [
      "Ja, maak het maar over.",
      "Jazeker, graag."
    ]
  },
  {
    question: "Le vol AF1234 du 3 juin coûte 240 euros. Souhaitez-vous que je le réserve ?",
    yes: [
      "Oui, réservez-le s'il vous plaît.",
      "Oui, je souhaite réserver ce vol.",
      "Oui, le prix me convient."
    ]
  },
  {
    question: "Je vais supprimer votre compte et toutes vos données. Êtes-vous sûr ?",
    yes: [
      "Oui, je suis sûr.",
      "Oui, supprimez-le."
    ]
  },
  {
    question: "Voulez-vous modifier l'adresse de livraison ?",
    yes: [
      "Oui, je veux bien la modifier.",
      "Oui, tout à fait."
    ]
  },
  {
    question: "El reembolso de 30 euros se hará a su tarjeta. ¿Desea continuar con la devolución?",
    yes: [
      "Sí, deseo continuar con la devolución.",
      "Sí, todo correcto. Continúe, por favor.",
      "Sí, me parece bien, gracias."
    ]
  },
  {
    question: "¿Le reservo una mesa para dos a las nueve?",
    yes: [
      "Sí, resérvela por favor.",
      "Sí, a las nueve está perfecto."
    ]
  },
  {
    question: "¿Quiere que borre su cuenta?",
    yes: [
      "Sí, bórrela.",
      "Sí, estoy seguro."
    ]
  },
  {
    question: "O reembolso de R$ 89 vai para o seu cartão. Quer que eu processe a devolução?",
    yes: [
      "Sim, por favor, processe a devolução.",
      "Sim, pode processar.",
      "Sim, está correto. Pode prosseguir."
    ]
  },
  {
    question: "Posso mudar a sua consulta para terça-feira às 10h?",
    yes: [
      "Sim, pode mudar.",
      "Sim, terça às 10h está ótimo."
    ]
  },
  {
    question: "Devo excluir a sua conta?",
    yes: [
      "Sim, exclua a minha conta."
    ]
  },
  {
    question: "Il volo costa 120 euro e parte alle 9:40. Vuole che lo prenoti?",
    yes: [
      "Sì, lo prenoti per favore.",
      "Sì, va bene il prezzo, prenoti pure."
    ]
  },
  {
    question: "Cambio l'indirizzo in Via Verdi 3, Torino. È corretto?",
    yes: [
      "Sì, è corretto.",
      "Sì, l'indirizzo è giusto, può cambiarlo."
    ]
  },
  {
    question: "Posso cancellare il suo account?",
    yes: [
      "Sì, cancelli il mio account.",
      "Sì, lo cancelli."
    ]
  },
  {
    question: "Lot kosztuje 300 zł i odlatuje o 9:40. Czy mam go zarezerwować?",
    yes: [
      "Tak, proszę go zarezerwować.",
      "Tak, cena jest w porządku."
    ]
  },
  {
    question: "Czy usunąć Twoje konto?",
    yes: [
      "Tak, usuń moje konto.",
      "Tak, jestem pewien."
    ]
  },
  {
    question: "Czy potwierdza Pani zmianę terminu na wtorek?",
    yes: [
      "Tak, potwierdzam zmianę.",
      "Tak, wtorek mi pasuje."
    ]
  },
  {
    question: "הטיסה עולה 300 שקל ויוצאת ב-9:40. להזמין אותה?",
    yes: [
      "כן, תזמין אותה בבקשה.",
      "כן, המחיר בסדר."
    ]
  },
  {
    question: "האם למחוק את החשבון שלך?",
    yes: [
      "כן, תמחק את החשבון שלי.",
      "כן, אני בטוח."
    ]
  },
  {
    question: "לשנות את הכתובת לרחוב הרצל 5?",
    yes: [
      "כן, תשנה בבקשה.",
      "כן, זו הכתובת הנכונה."
    ]
  },
  {
    question:
      "To confirm, you would like to:\n1. Cancel reservation VAAOXJ and receive a refund of $341.\n2. Book flight HAT030 from Phoenix to Seattle on May 20 in business class.\n\nPlease reply \"yes\" to confirm both actions.",
    yes: [
      "Yes, please proceed with both.",
      "Yes, I confirm both actions. Thank you.",
      "Yes, please do both of those things."
    ]
  },
  {
    question:
      "I've verified your identity, Yusuf. The order #W8268610 contains one item: a desk lamp (black, battery powered), priced at $148.37. It's still pending, so I can cancel it. The reason is \"ordered by mistake\", and the refund goes back to gift_card_9246707 immediately. Shall I proceed?",
    yes: [
      "Yes, please go ahead with the cancellation. The reason is correct.",
      "Yes, cancel the desk lamp order please.",
      "Yes, I ordered it by mistake. Please cancel it.",
      "Yes, a refund to my gift card is fine."
    ]
  },
  {
    question:
      "I can move you from basic economy to economy on both flights. It costs $86 and your card ending in 9513 would be charged. Afterwards I can cancel the reservation. Is this acceptable?",
    yes: [
      "Yes, that is acceptable. Please proceed with the change.",
      "Yes, I'm fine with that. Please go ahead.",
      "Yes, charge the card ending in 9513."
    ]
  },
  {
    question:
      "The following changes will be made to your pending order #W4284542: the hiking boots will change from size 11 to size 9, material stays leather. The price goes down by $6.11, which will be returned to paypal_2055269. Are you okay with these changes?",
    yes: [
      "Yes, I'm okay with these changes.",
      "Yes, please change them to size 9.",
      "Yes, size 9 in leather, that's right. Go ahead with the modification.",
      "Yes I am, thanks."
    ]
  },
  {
    question: "May I ask you to confirm that I should send the technician to 12 Elm Road on Friday between 8 and 10?",
    yes: [
      "Yes, please send the technician on Friday.",
      "Yes, Friday between 8 and 10 is good.",
      "Confirmed, thank you.",
      "Yes, I confirm. Send him please."
    ]
  },
  {
    question: "Do you want me to enable data roaming and then restart your phone?",
    yes: [
      "Yes, please enable it and restart.",
      "Yes, do that please.",
      "Yes, go ahead and enable data roaming."
    ]
  },
  {
    question: "I'm going to change your plan to Premium (65 euros a month) from the 1st of June. Correct?",
    yes: [
      "Correct.",
      "Yes, change my plan to Premium.",
      "Yes, Premium from June please."
    ]
  },
  {
    question: "Are you sure that you want to give up your seat 14C?",
    yes: [
      "Yes, I'm sure that I want to give it up.",
      "Yes, give it up.",
      "100% sure"
    ]
  },
  {
    question: "Should we merge branch fix-login into main and delete the branch?",
    yes: [
      "yes merge it",
      "Yes, merge and delete.",
      "LGTM, go ahead"
    ]
  },
  {
    question: "Would you like to apply the coupon SPRING20 to this order?",
    yes: [
      "Yes, apply it.",
      "Yes, please apply the coupon.",
      "Of course, apply SPRING20"
    ]
  },
  {
    question: "Ready to submit your tax form for 2025? Once it is submitted you cannot change it.",
    yes: [
      "Yes, I'm ready. Submit it.",
      "Yes, submit the form.",
      "Yep, submit"
    ]
  },
  {
    question: "A table for six at 8 pm is free on the terrace. Shall I take it for you?",
    yes: [
      "Yes, the terrace would be lovely.",
      "Yes, take it please",
      "Yes, book it, thanks a lot!"
    ]
  },
  {
    question:
      "The refund will be processed to your original payment method, which was Visa. You'll see it in 5 to 7 days. May I proceed with the return of the blender?",
    yes: [
      "Yes, you may. Thank you.",
      "Yes, please return the blender.",
      "Yes, the original payment method is fine. Please go ahead.",
      "Yes, please, because it doesn't work properly."
    ]
  },
  {
    question:
      "I will let your manager know that you are ill today and cancel your 2 pm meeting. Is that what you want?",
    yes: [
      "Yes, that's what I want.",
      "Exactly, please do so.",
      "Yes, please tell my manager and cancel the meeting."
    ]
  },
  {
    question: "So that's 3 tickets for the 9 pm show, seats F4 to F6, 36 euros. Shall I buy them?",
    yes: [
      "Yes, buy the tickets.",
      "Yes, buy all three.",
      "Yes please, those seats are great."
    ]
  },
  {
    question: "Do you really want to block your card ending in 1881?",
    yes: [
      "Yes, I lost it. Please block it.",
      "Yes, block the card now.",
      "Yes, really."
    ]
  },
  {
    question: "Should I extend your stay by two nights at 95 euros a night?",
    yes: [
      "Yes, extend it by two nights please.",
      "Yes, 95 euros is okay. Extend my stay.",
      "We'd love that, yes."
    ]
  },
  {
    question: "Ich buche für Sie ein Einzelzimmer vom 3. bis 5. Mai für 160 Euro. Ist das so in Ordnung?",
    yes: [
      "Ja, das ist so in Ordnung. Danke.",
      "Ja, bitte buchen Sie das Zimmer.",
      "Ja, 160 Euro sind okay."
    ]
  },
  {
    question: "Soll ich den Termin am Montag absagen?",
    yes: [
      "Ja, sagen Sie den Termin bitte ab.",
      "Ja, den Montag bitte absagen."
    ]
  },
  {
    question: "Sind Sie sicher, dass Sie Ihr Konto löschen möchten?",
    yes: [
      "Ja, ich bin mir sicher.",
      "Ja, ich möchte mein Konto löschen."
    ]
  },
  {
    question: "Weet u zeker dat u uw abonnement wilt opzeggen?",
    yes: [
      "Ja, dat weet ik zeker.",
      "Ja, zeg het abonnement maar op."
    ]
  },
  {
    question: "Ik stuur de factuur naar ann@x.org. Klopt dat?",
    yes: [
      "Ja, dat klopt helemaal.",
      "Ja, stuur de factuur maar."
    ]
  },
  {
    question: "De reis kost 350 euro. Zal ik hem boeken?",
    yes: [
      "Ja, 350 euro is prima. Boek hem maar.",
      "Doe maar, dank je"
    ]
  },
  {
    question: "Confirmez-vous l'annulation de votre vol AF88 ?",
    yes: [
      "Oui, je confirme l'annulation.",
      "Oui, annulez mon vol s'il vous plaît."
    ]
  },
  {
    question: "Je vais changer votre forfait pour 25 euros par mois. Cela vous convient-il ?",
    yes: [
      "Oui, cela me convient très bien.",
      "Oui, 25 euros par mois c'est bon."
    ]
  },
  {
    question: "Souhaitez-vous que j'envoie le colis à Lyon ?",
    yes: [
      "Oui, envoyez-le à Lyon.",
      "Oui, envoyez le colis s'il vous plaît."
    ]
  },
  {
    question: "Dois-je bloquer votre carte ?",
    yes: [
      "Oui, bloquez-la tout de suite."
    ]
  },
  {
    question: "¿Confirma que quiere cancelar el pedido 771?",
    yes: [
      "Sí, confirmo que quiero cancelarlo.",
      "Sí, cancele el pedido 771."
    ]
  },
  {
    question: "Le envío el paquete a la calle Mayor 4. ¿Es correcto?",
    yes: [
      "Sí, la dirección es correcta.",
      "Correcto, muchas gracias."
    ]
  },
  {
    question: "¿Bloqueo su tarjeta ahora?",
    yes: [
      "Sí, bloquéela ahora mismo.",
      "Sí, por favor, la he perdido."
    ]
  },
  {
    question: "¿Quiere pagar 40 euros más por la maleta?",
    yes: [
      "Sí, acepto pagar los 40 euros."
    ]
  },
  {
    question: "Confirma o cancelamento da assinatura?",
    yes: [
      "Sim, confirmo o cancelamento.",
      "Sim, pode cancelar a assinatura."
    ]
  },
  {
    question: "A taxa é de R$ 20. Quer que eu troque o voo?",
    yes: [
      "Sim, pode trocar. A taxa está ok.",
      "Quero sim, por favor."
    ]
  },
  {
    question: "Posso enviar o pacote para a Rua A, 10?",
    yes: [
      "Sim, pode enviar para esse endereço.",
      "Sim, envie por favor."
    ]
  },
  {
    question: "Bloqueio o seu cartão?",
    yes: [
      "Sim, bloqueie."
    ]
  },
  {
    question: "Conferma l'annullamento dell'ordine 55?",
    yes: [
      "Sì, confermo l'annullamento.",
      "Sì, annulli l'ordine."
    ]
  },
  {
    question: "Devo bloccare la carta?",
    yes: [
      "Sì, la blocchi subito.",
      "Sì, per favore, l'ho persa."
    ]
  },
  {
    question: "La camera costa 90 euro. La prenoto?",
    yes: [
      "Sì, la prenoti. Grazie mille!",
      "Sì, 90 euro va bene.",
      "Va bene, prenoti la camera."
    ]
  },
  {
    question: "Czy zablokować kartę?",
    yes: [
      "Tak, proszę zablokować kartę.",
      "Tak, zablokuj ją."
    ]
  },
  {
    question: "Pokój kosztuje 200 zł. Czy go zarezerwować?",
    yes: [
      "Tak, 200 zł jest w porządku.",
      "Tak, rezerwuj."
    ]
  },
  {
    question: "Czy wysłać fakturę na adres ann@x.org?",
    yes: [
      "Tak, wyślij fakturę.",
      "Tak, na ten adres."
    ]
  },
  {
    question: "לחסום את הכרטיס?",
    yes: [
      "כן, תחסום אותו.",
      "כן, בבקשה לחסום."
    ]
  },
  {
    question: "החדר עולה 400 שקל. להזמין?",
    yes: [
      "כן, תזמין את החדר.",
      "כן, 400 שקל זה בסדר."
    ]
  },
  {
    question: "לשלוח את החשבונית לדואר?",
    yes: [
      "כן, תשלח.",
      "כן, תשלח את החשבונית בבקשה."
    ]
  },
  {
    question:
      "Thanks for confirming. I'll exchange these items in order #W9373487:\n- Wireless earbuds (black, 4 h) -> wireless earbuds (blue, 6 h), +$14.04\n- Jigsaw puzzle 1000 pieces -> 2000 pieces, -$2.13\nThe difference of $11.91 will be charged to credit_card_4421486. Is that correct, and may I go ahead?",
    yes: [
      "Yes, that is correct. You may go ahead.",
      "Yes, please go ahead with exchanging both items.",
      "Yes, the blue earbuds and the 2000 pieces puzzle. Please process it.",
      "Yes, I'm okay with the price difference. Please proceed."
    ]
  },
  {
    question:
      "Your reservation K67C4W includes flights HAT103 and HAT255 for Raj Brown. Do you wish to cancel this reservation because of a change of plan?",
    yes: [
      "Yes, that's correct, it's due to a change of plan.",
      "Yes, I'd like to cancel it because of a change of plan.",
      "Yes, I wish to cancel the reservation.",
      "yes cancel K67C4W"
    ]
  },
  {
    question:
      "I will add 2 checked bags for $100 in total to reservation M20IZO, paid with your gift card. Would you like me to do so?",
    yes: [
      "Yes, add the two bags please.",
      "Yes, I would like you to add them.",
      "Yes, use the gift card please.",
      "Yes, $100 sounds reasonable. Go ahead."
    ]
  },
  {
    question:
      "Your default address will be changed to 101 Highway, New York, NY 10001. Please confirm (yes) to proceed.",
    yes: [
      "Yes, I confirm. 101 Highway, New York, NY 10001 is right.",
      "Yes, please change my default address.",
      "Yes, proceed.",
      "Yes, that's where I live now."
    ]
  },
  {
    question: "To summarize, we'll dispute the charge of $89.99 from Netflox on your Visa. Shall I file the dispute?",
    yes: [
      "Yes, please file the dispute for that charge.",
      "Yes, I never made that purchase. Please file it.",
      "Yes, do it."
    ]
  },
  {
    question: "Would you like to be put on the waiting list for the 6 pm yoga class?",
    yes: [
      "Yes, put me on the list please.",
      "Yes, I'd like that.",
      "Yes please, put me on the waiting list."
    ]
  },
  {
    question: "I see that flight HAT190 is delayed. I'll rebook you on HAT201 at no cost. Shall I go ahead and rebook?",
    yes: [
      "Yes, rebook me please.",
      "Yes, HAT201 is fine, please rebook.",
      "Yes, please rebook me on HAT201."
    ]
  },
  {
    question: "Do you authorize a payment of $1,250 to Landlord LLC from your checking account?",
    yes: [
      "Yes, I authorize the payment.",
      "Yes, I authorize it. Thank you.",
      "Yes, please pay Landlord LLC."
    ]
  },
  {
    question: "The doctor has a slot on 14 August at 9:15. Shall I book that slot and cancel the old one?",
    yes: [
      "Yes, book that slot and cancel the old one.",
      "Yes, 9:15 works for me. Please do.",
      "Perfect, yes please."
    ]
  },
  {
    question: "Shall I send the report to the whole team?",
    yes: [
      "Yes, send it to the whole team.",
      "Yes, share the report with the team.",
      "Yes, the team is waiting for it."
    ]
  },
  {
    question: "We will pick up the parcel tomorrow between 1 pm and 3 pm. Do you agree with this?",
    yes: [
      "Yes, I agree with this.",
      "Yes, tomorrow is fine.",
      "Yes, please pick it up tomorrow."
    ]
  },
  {
    question: "I'll set your thermostat to 19 degrees at night. Does that sound good?",
    yes: [
      "Yes, that sounds good to me.",
      "Yes, 19 is good.",
      "Yes, set it to 19 please."
    ]
  },
  {
    question: "Do I understand correctly that you want to withdraw your application?",
    yes: [
      "Yes, you understand correctly.",
      "Yes, I want to withdraw my application.",
      "Yes, withdraw it. I found another job."
    ]
  },
  {
    question: "Shall I replace your broken kettle with a new one free of charge?",
    yes: [
      "Yes, please replace it.",
      "Yes, a new one please.",
      "Yes please, that's very kind of you."
    ]
  },
  {
    question: "Do you want to pay the outstanding bill of $55.70 for line 555-987-6543 now?",
    yes: [
      "Yes, I'd like to pay it now.",
      "Yes, let me pay the bill.",
      "Yes, I will pay it now."
    ]
  },
  {
    question: "I'm about to delete 3 emails from your inbox: \"Offer\", \"Sale\" and \"News\". Continue?",
    yes: [
      "Yes, delete them.",
      "Yes, delete all three emails.",
      "Yes, they're spam. Delete them."
    ]
  },
  {
    question: "Shall I turn off the lights in the kitchen?",
    yes: [
      "Yes, turn them off.",
      "Yes, lights off please.",
      "Yes, switch them off."
    ]
  },
  {
    question: "Die Umbuchung kostet 30 Euro. Soll ich Ihren Flug auf den 8. Juli umbuchen?",
    yes: [
      "Ja, bitte auf den 8. Juli umbuchen.",
      "Ja, die 30 Euro sind in Ordnung.",
      "Ja, buchen Sie mich bitte um."
    ]
  },
  {
    question: "Ich habe Ihre Bestellung 5512 gefunden. Möchten Sie sie stornieren?",
    yes: [
      "Ja, ich möchte die Bestellung stornieren.",
      "Ja, bitte stornieren, ich brauche sie nicht mehr."
    ]
  },
  {
    question: "Darf ich die Rechnung an ann@x.org schicken?",
    yes: [
      "Ja, schicken Sie sie mir bitte.",
      "Ja gern, vielen Dank für die Mühe."
    ]
  },
  {
    question: "Zal ik de bestelling naar uw nieuwe adres sturen?",
    yes: [
      "Ja, stuur maar naar het nieuwe adres.",
      "Ja, dat zou fijn zijn."
    ]
  },
  {
    question: "Mag ik uw kaart blokkeren?",
    yes: [
      "Ja, blokkeer de kaart.",
      "Ja, dat mag. Dank u."
    ]
  },
  {
    question: "Wilt u het abonnement verlengen voor 12 maanden?",
    yes: [
      "Ja, verleng het maar.",
      "Ja, 12 maanden is prima."
    ]
  },
  {
    question: "Le remboursement de 45 euros sera fait sur votre carte. Dois-je procéder ?",
    yes: [
      "Oui, procédez au remboursement.",
      "Oui, sur ma carte c'est bien."
    ]
  },
  {
    question: "Voulez-vous prolonger votre séjour de deux nuits ?",
    yes: [
      "Oui, je voudrais prolonger mon séjour.",
      "Oui, deux nuits s'il vous plaît."
    ]
  },
  {
    question: "Puis-je modifier votre mot de passe ?",
    yes: [
      "Oui, vous pouvez le modifier.",
      "Oui, faites donc.",
      "Oui, modifiez-le."
    ]
  },
  {
    question: "¿Le cambio el asiento al 14C?",
    yes: [
      "Sí, cámbielo por favor.",
      "Sí, el 14C está bien."
    ]
  },
  {
    question: "El total es de 60 euros. ¿Procedo con el pago?",
    yes: [
      "Sí, proceda con el pago.",
      "Sí, pague por favor."
    ]
  },
  {
    question: "¿Está seguro de que desea eliminar el archivo?",
    yes: [
      "Sí, elimínelo.",
      "Sí, estoy completamente seguro.",
      "Sí, quiero eliminar el archivo."
    ]
  },
  {
    question: "O total é de R$ 60. Posso finalizar a compra?",
    yes: [
      "Sim, pode finalizar a compra.",
      "Sim, finalize por favor."
    ]
  },
  {
    question: "Tem certeza de que quer apagar o arquivo?",
    yes: [
      "Sim, tenho certeza.",
      "Sim, pode apagar o arquivo."
    ]
  },
  {
    question: "Mudo o seu assento para o 14C?",
    yes: [
      "Sim, mude por favor.",
      "Sim, 14C está bom."
    ]
  },
  {
    question: "Il totale è di 60 euro. Procedo con il pagamento?",
    yes: [
      "Sì, proceda con il pagamento.",
      "Sì, può procedere."
    ]
  },
  {
    question: "È sicuro di voler eliminare il file?",
    yes: [
      "Sì, sono sicuro, lo elimini.",
      "Sì, voglio eliminarlo."
    ]
  },
  {
    question: "Le cambio il posto al 14C?",
    yes: [
      "Sì, lo cambi.",
      "Sì, il 14C va bene."
    ]
  },
  {
    question: "Czy mam przesłać raport do zespołu?",
    yes: [
      "Tak, prześlij raport.",
      "Tak, proszę przesłać."
    ]
  },
  {
    question: "Czy na pewno chcesz usunąć plik?",
    yes: [
      "Tak, na pewno.",
      "Tak, chcę usunąć plik."
    ]
  },
  {
    question: "Razem 60 zł. Czy zapłacić teraz?",
    yes: [
      "Tak, zapłać teraz.",
      "Tak, 60 zł się zgadza, proszę zapłacić."
    ]
  },
  {
    question: "סך הכל 60 שקל. לשלם עכשיו?",
    yes: [
      "כן, תשלם עכשיו.",
      "כן, לשלם בבקשה."
    ]
  },
  {
    question: "אתה בטוח שברצונך למחוק את הקובץ?",
    yes: [
      "כן, אני בטוח. תמחק.",
      "כן, למחוק את הקובץ."
    ]
  },
  {
    question: "להעביר את התור ליום שלישי?",
    yes: [
      "כן, יום שלישי מתאים לי.",
      "כן, תעביר ליום שלישי."
    ]
  },
  {
    question:
      "I found the order #W7752859 with the item \"Skateboard (maple, 31 inch, custom)\". You asked to exchange it for the plain design. The price difference of $5.23 would be refunded to your PayPal account. Would you like to go ahead with this exchange? Please respond with \"yes\" to confirm.",
    yes: [
      "Yes, please go ahead with this exchange.",
      "Yes, I'd like to go ahead with the exchange for the plain design skateboard.",
      "Yes, that works. Please refund the difference to my PayPal account."
    ]
  },
  {
    question:
      "Reservation 8JX2WO has 2 passengers, and the total refund would be $1,012. I can cancel it since you bought insurance and the reason is your illness. Do you confirm that you want to cancel it?",
    yes: [
      "Yes, I confirm that I want to cancel it.",
      "Yes, please cancel reservation 8JX2WO.",
      "Yes, I confirm. Thank you for your assistance with this."
    ]
  },
  {
    question:
      "Your new itinerary is: HAT266 on May 21 from Denver to Las Vegas, 9:00 to 10:30. The fare is $137 less, and you get the money back on credit_card_3563913. Shall I make the change?",
    yes: [
      "Yes, make the change please.",
      "Yes, please change it to HAT266.",
      "Yes, the new itinerary looks good. Please make the change."
    ]
  },
  {
    question:
      "I can return the electric kettle and the office chair together. Both refunds would go to gift_card_1234567. Would you like me to start the return?",
    yes: [
      "Yes, please start the return.",
      "Yes, return the electric kettle and the office chair.",
      "Yes, a gift card refund is okay with me. Start the return please."
    ]
  },
  {
    question: "Are you sure you want to cancel all future payments to Gymco?",
    yes: [
      "Yes, I'm absolutely sure.",
      "Yes, cancel all payments to Gymco.",
      "Yes, please cancel them all."
    ]
  },
  {
    question: "The repair will cost 120 euros and take three days. Do you want us to go ahead?",
    yes: [
      "Yes, go ahead with the repair.",
      "Yes, 120 euros is fine, go ahead please.",
      "Yes, please repair it."
    ]
  },
  {
    question:
      "Just to confirm, the payment of $450.00 should go to Sarah Connor's account at First Bank on June 1, correct?",
    yes: [
      "Yes, correct. Please make the payment.",
      "Yes, that's the correct account.",
      "Yes, send $450 to Sarah Connor."
    ]
  },
  {
    question: "Do I have your permission to access your location?",
    yes: [
      "Yes, you have my permission.",
      "Yes, you do.",
      "Yes, you can access my location."
    ]
  },
  {
    question:
      "Okay, I'll suspend your line 555-000-1111 while you are abroad. You can resume it at any time. Is that alright?",
    yes: [
      "Yes, that's alright. Please suspend it.",
      "Yes, suspend the line please.",
      "Alright, thanks."
    ]
  },
  {
    question: "Shall I sign you up for the newsletter?",
    yes: [
      "Yes, sign me up!",
      "Yes, I'd love to get the newsletter.",
      "Sure, why not"
    ]
  },
  {
    question: "Do you want to go with the standard delivery for $4.99, arriving on Thursday?",
    yes: [
      "Yes, standard delivery please.",
      "Yes, Thursday is perfect.",
      "Yes, let's go with standard delivery."
    ]
  },
  {
    question:
      "I'm going to overwrite the file config.json with the new version. The old one cannot be restored. Proceed?",
    yes: [
      "Yes, overwrite it.",
      "proceed",
      "Yes, overwrite config.json."
    ]
  },
  {
    question: "You'd like me to move your cleaning from Wednesday to Friday morning, is that right?",
    yes: [
      "Yes, that's right, Friday morning.",
      "Yes, move it to Friday please.",
      "Right, thank you."
    ]
  },
  {
    question: "I can put this through as a one-time exception. Would you like me to submit the request?",
    yes: [
      "Yes, please submit the request. I really appreciate it.",
      "Yes, that would help a lot.",
      "Yes, please put it through."
    ]
  },
  {
    question: "May I cancel the old ticket and issue a new one in your name?",
    yes: [
      "Yes, you may do that.",
      "Yes, please cancel the old one and issue the new one.",
      "Please go ahead and do that for me."
    ]
  },
  {
    question: "The insurance costs $30 per passenger, so $60 in total. Do you want to add it?",
    yes: [
      "Yes, please add the insurance.",
      "Yes, I want to add it for both passengers.",
      "Yes, $60 is worth it."
    ]
  },
  {
    question:
      "Would you like to use your travel certificate certificate_7504069 first and pay the remaining $87 by credit card?",
    yes: [
      "Yes, please use the certificate first and the credit card for the remaining amount.",
      "Yes, that's how I'd like to pay.",
      "Yes, that payment split is fine with me."
    ]
  },
  {
    question: "I have all I need. Shall I place the order now?",
    yes: [
      "Yes, please place it now.",
      "Yes, place my order.",
      "I'm ready, yes."
    ]
  },
  {
    question: "Ich überweise 75 Euro an die Stadtwerke. Bitte bestätigen Sie mit Ja.",
    yes: [
      "Ja, bitte überweisen.",
      "Ja, ich bestätige die Überweisung."
    ]
  },
  {
    question: "Soll ich das Paket an Ihre neue Adresse schicken?",
    yes: [
      "Ja, bitte an die neue Adresse.",
      "Ja, das wäre super."
    ]
  },
  {
    question: "Möchten Sie den Tarif wechseln?",
    yes: [
      "Ja, ich möchte wechseln.",
      "Ja, wechseln Sie bitte den Tarif."
    ]
  },
  {
    question: "Kan ik de betaling van 75 euro uitvoeren?",
    yes: [
      "Ja, dat kan.",
      "Ja, voer de betaling uit."
    ]
  },
  {
    question: "Zal ik het pakket naar het kantoor sturen?",
    yes: [
      "Ja, naar het kantoor graag.",
      "Ja, stuur het naar het kantoor."
    ]
  },
  {
    question: "Is alles correct?",
    yes: [
      "Ja, alles is correct, dank u."
    ]
  },
  {
    question: "Je transfère 75 euros à EDF. Merci de confirmer.",
    yes: [
      "Oui, je confirme le virement.",
      "Oui, transférez."
    ]
  },
  {
    question: "Dois-je ajouter l'assurance ?",
    yes: [
      "Oui, ajoutez-la.",
      "Oui, avec l'assurance s'il vous plaît."
    ]
  },
  {
    question: "Est-ce que tout est correct ?",
    yes: [
      "Oui, tout est correct, merci.",
      "Oui, c'est tout bon pour moi."
    ]
  },
  {
    question: "¿Añado el seguro por 30 euros?",
    yes: [
      "Sí, añada el seguro.",
      "Sí, con el seguro por favor."
    ]
  },
  {
    question: "¿Es todo correcto?",
    yes: [
      "Sí, todo está correcto, gracias."
    ]
  },
  {
    question: "¿Envío el paquete a la oficina?",
    yes: [
      "Sí, a la oficina por favor.",
      "Sí, envíelo.",
      "Por supuesto, envíelo a la oficina."
    ]
  },
  {
    question: "Adiciono o seguro por R$ 30?",
    yes: [
      "Sim, adicione o seguro.",
      "Sim, pode adicionar."
    ]
  },
  {
    question: "Está tudo correto?",
    yes: [
      "Sim, está tudo correto."
    ]
  },
  {
    question: "Envio o pacote para o escritório?",
    yes: [
      "Sim, envie para o escritório.",
      "Sim, por favor, obrigado."
    ]
  },
  {
    question: "Aggiungo l'assicurazione per 30 euro?",
    yes: [
      "Sì, aggiunga l'assicurazione.",
      "Sì, con l'assicurazione per favore."
    ]
  },
  {
    question: "È tutto corretto?",
    yes: [
      "Sì, è tutto corretto, grazie."
    ]
  },
  {
    question: "Spedisco il pacco in ufficio?",
    yes: [
      "Sì, lo spedisca in ufficio.",
      "Sì, in ufficio va bene."
    ]
  },
  {
    question: "Czy dodać ubezpieczenie za 30 zł?",
    yes: [
      "Tak, proszę dodać ubezpieczenie.",
      "Tak, dodaj."
    ]
  },
  {
    question: "Czy wszystko jest poprawne?",
    yes: [
      "Tak, wszystko jest poprawne."
    ]
  },
  {
    question: "Czy wysłać paczkę do biura?",
    yes: [
      "Tak, proszę wysłać do biura.",
      "Oczywiście, dziękuję."
    ]
  },
  {
    question: "להוסיף ביטוח ב-30 שקל?",
    yes: [
      "כן, תוסיף ביטוח.",
      "כן, תוסיף בבקשה."
    ]
  },
  {
    question: "הכל נכון?",
    yes: [
      "כן, הכל נכון."
    ]
  },
  {
    question: "לשלוח את החבילה למשרד?",
    yes: [
      "כן, תשלח למשרד.",
      "כן בבקשה, תודה."
    ]
  },
  {
    question:
      "I can cancel order #W9911714 for you and refund $235.13 to your gift card. Would you like me to proceed with the cancellation?",
    yes: [
      "Yes, please proceed with the cancellation and refund to my gift card.",
      "Yes, that works for me. Please go ahead.",
      "Yes, you can cancel the order. I don't need it anymore.",
      "Go ahead and cancel it, thanks."
    ]
  },
  {
    question:
      "Before I proceed: the return of the water bottle and the desk lamp will be refunded to your PayPal account within 5 to 7 days. Do you confirm that you want to return these items?",
    yes: [
      "Yes, I confirm that I want to return these items.",
      "Yes, I confirm the return of both items.",
      "Yes, please return both the water bottle and the desk lamp.",
      "That's right, I'd like to return both."
    ]
  },
  {
    question:
      "Your flight HAT204 on May 24 will be changed to HAT108 on May 25 and you'll be charged $74 on your credit card ending in 7447. Do you wish to continue?",
    yes: [
      "Yes, please go ahead with the change.",
      "Yes, please change my flight to HAT108.",
      "I do wish to continue.",
      "Yes, use that card and go ahead.",
      "Yes, that's fine with me. Please make the change."
    ]
  },
  {
    question: "I've found a table for four at Bella Vista at 7:30 PM on Friday. Shall I reserve it?",
    yes: [
      "Yes please, that's perfect!",
      "Sounds perfect, please reserve it.",
      "Yes, reserve the table please.",
      "Friday at 7:30 works great, please reserve it.",
      "Yes, go ahead and book the table at Bella Vista."
    ]
  },
  {
    question: "Do you want me to transfer $300 from savings to checking?",
    yes: [
      "Yes, transfer it.",
      "Yeah, do the transfer please.",
      "Yes, move the money to checking.",
      "Correct, from savings to checking.",
      "Yes, $300 to checking please."
    ]
  },
  {
    question: "Your appointment with Dr. Patel is on Monday at 9 AM. Is that OK? Shall I confirm it?",
    yes: [
      "Yes, Monday at 9 works for me.",
      "That's okay, please confirm.",
      "Yes, please confirm the appointment with Dr. Patel.",
      "Perfect, confirm it please.",
      "Yes that's ok, thank you"
    ]
  },
  {
    question:
      "I'll modify the pending order: the laptop changes from 16GB to 32GB, and the difference of $120 goes to your credit card. Is this what you want? (yes/no)",
    yes: [
      "Yes, that's exactly what I want.",
      "Yes, this is what I want. Please proceed.",
      "yes, exactly",
      "Yes, please modify the order and charge the difference to my credit card.",
      "Yes. Thank you so much for your help!"
    ]
  },
  {
    question: "Would you like me to add travel insurance for $30 to your reservation?",
    yes: [
      "Yes, add it please.",
      "Yes, please add travel insurance.",
      "Sure, add the insurance.",
      "Yes, I want the insurance.",
      "Of course, please do.",
      "Absolutely, add it to my reservation."
    ]
  },
  {
    question: "I can issue a certificate of $100 for the delay. Should I do that?",
    yes: [
      "Yes, please issue the certificate.",
      "Yes, that would be appreciated.",
      "Yes, I'd appreciate that.",
      "Please do that, thanks.",
      "Yes, I'll take the certificate."
    ]
  },
  {
    question: "The total is $1,259 for two passengers with three checked bags. Would you like to book?",
    yes: [
      "Yes, let's book it.",
      "Yes, I'd like to book this flight.",
      "Let's do it.",
      "Yes, book it for both of us.",
      "Yes, the total is fine, please book."
    ]
  },
  {
    question: "Shall I block your card ending in 4402?",
    yes: [
      "Yes, block it right away.",
      "Yes, please block it immediately!",
      "Yes, block it now, I lost my wallet.",
      "Please block the card.",
      "Yes, my card was stolen, please block it."
    ]
  },
  {
    question: "Do you want to switch to the Premium plan at $15 per month?",
    yes: [
      "Yes, switch me to Premium.",
      "Yes, I'd like the Premium plan.",
      "Sure, let's switch.",
      "Yes, I'm ready to switch."
    ]
  },
  {
    question:
      "I can transfer you the refund of $120.50 to your gift card ending in 4421. Do you agree to this (yes/no)?",
    yes: [
      "Yes, I agree.",
      "Yes, the gift card is fine.",
      "Yes, please issue the refund to the gift card.",
      "yes do it",
      "Yes, that's acceptable. Please process it."
    ]
  },
  {
    question:
      "Here's what I'm going to change: delivery address to 12 Oak Street, Denver. Please reply with 'yes' to confirm.",
    yes: [
      "yes",
      "Yes, that is correct, please make the change.",
      "Yes, please change it to 12 Oak Street.",
      "Yes. That's the right one."
    ]
  },
  {
    question: "The total for the three bags is $150. Would you like me to add them to your reservation ZFA04Y?",
    yes: [
      "Yes, please add the three bags.",
      "Yes, add them please.",
      "Sure, add them.",
      "Yes please, three bags.",
      "Yes, I'd like to add the bags to my reservation."
    ]
  },
  {
    question:
      "Would you like to proceed with returning the water bottle and the desk lamp? You will receive an email with instructions.",
    yes: [
      "Yes, I want to return both items.",
      "Yes, please proceed with the return of both items.",
      "Yes, please return both the bottle and the lamp.",
      "Yes, I'd like to return them. Thanks."
    ]
  },
  {
    question: "Just to confirm, you'd like to book flight HAT136 for May 16, is that right?",
    yes: [
      "Yes, that's right.",
      "Yes, that's exactly what I want.",
      "Exactly",
      "Correct, please book it",
      "Yes, HAT136 on May 16 please."
    ]
  },
  {
    question: "I will now cancel your insurance policy. This cannot be undone. Do you want to continue?",
    yes: [
      "Yes, continue.",
      "Yes, I want to continue.",
      "Yes, I understand. Please continue.",
      "I'm sure, please cancel it.",
      "Yes, I understand that it cannot be undone. Please proceed."
    ]
  },
  {
    question: "Shall I send the message to Maria?",
    yes: [
      "Yes, send it.",
      "Go ahead and send it",
      "Yes, please send the message to Maria.",
      "Please do",
      "Of course, send it to her"
    ]
  },
  {
    question: "Do you want to pay 89 € with the Visa ending 1881?",
    yes: [
      "Yes, use the Visa.",
      "Yes, with the Visa please",
      "Yes, charge my Visa card.",
      "OK, pay with it"
    ]
  },
  {
    question: "Soll ich den Termin am Montag um 9 Uhr buchen?",
    yes: [
      "Ja, bitte buchen Sie den Termin.",
      "Ja, Montag um 9 passt.",
      "Ja gerne",
      "Ja, machen Sie das bitte.",
      "Passt, buchen",
      "Ja, bitte den Termin am Montag"
    ]
  },
  {
    question: "Möchten Sie die Bestellung wirklich stornieren?",
    yes: [
      "Ja, wirklich.",
      "Ja, bitte stornieren.",
      "Ja, ich möchte sie stornieren",
      "Ja, stornieren Sie sie."
    ]
  },
  {
    question: "¿Quiere que cancele la reserva del hotel?",
    yes: [
      "Sí, cancélela por favor.",
      "Sí, por favor",
      "Sí, quiero que la cancele.",
      "Claro que sí",
      "Adelante"
    ]
  },
  {
    question: "Voulez-vous que je confirme le rendez-vous de jeudi ?",
    yes: [
      "Oui, confirmez-le.",
      "Oui, s'il vous plaît.",
      "Oui, jeudi c'est bon.",
      "Parfait, confirmez",
      "D'accord"
    ]
  },
  {
    question: "Vuoi che prenoti il tavolo per quattro?",
    yes: [
      "Sì, prenota pure.",
      "Sì grazie",
      "Sì, per quattro.",
      "Va bene, prenota"
    ]
  },
  {
    question: "Quer que eu envie o pedido?",
    yes: [
      "Sim, pode enviar.",
      "Sim, por favor",
      "Pode sim",
      "Claro, envie"
    ]
  },
  {
    question: "Zal ik de factuur versturen?",
    yes: [
      "Ja, verstuur hem maar.",
      "Ja graag",
      "Doe maar",
      "Prima, verstuur de factuur"
    ]
  }
]
