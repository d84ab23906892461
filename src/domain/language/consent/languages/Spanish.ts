/** Spanish answers. */
import type { Language } from "../ConsentLanguage.js"

/**
 * @since 0.2.0
 * @category languages
 */
export const spanish: Language = {
  code: "es",
  agrees:
    `sí, sí sí, si por favor, si gracias, si porfa, si claro, si adelante, si confirmo, si quiero, si de acuerdo, si proceda, si senor, si senora, si esta bien, claro, claro que sí, por supuesto, desde luego, como no, vale, vale sí, ok, okay, okey, de acuerdo, estoy de acuerdo, conforme, estoy conforme, correcto, es correcto, eso es correcto, todo correcto, todo es correcto, todo esta
    correcto, todo esta bien, esta bien, esta correcto, exacto, exactamente, eso es, asi es, efectivamente, perfecto, seguro, estoy seguro, estoy segura, confirmo, lo confirmo, te confirmo, le confirmo, confirmado, confirma, confirmalo, confirme, confirmelo, adelante, siga
    adelante, sigue adelante, dale, hazlo, hagalo, haz eso, haga eso, hagale, proceda, procede, proceder, puede proceder, puedes proceder, puede continuar, puedes continuar, continue, continua, prosiga, acepto, apruebo, autorizo, doy mi consentimiento, tiene mi permiso,
    me parece bien, me parece perfecto, me parece correcto, suena bien, me sirve, me vale, eso quiero, es lo que quiero, afirmativo, venga, listo, va, sale, andale, simon`,
  refuses:
    `no, nop, nunca, jamas, para nada, en absoluto, de ninguna manera, ni hablar, claro que no, por supuesto que no, no gracias, mejor no, ahora no, todavia no, aun no, hoy no, ya no, tampoco, para, pare, detente, detengase, alto, cancele eso, olvidalo,
    olvidelo, olvida eso, dejalo, dejelo, dejalo asi, dejelo asi, dejalo estar, dejelo estar, cambie de opinion, he cambiado de opinion, cambie de idea, me arrepenti, no quiero, no lo quiero, no la quiero, no lo haga, no lo hagas, no haga eso, no hagas nada, no haga nada, incorrecto, es incorrecto, esta mal, eso esta
    mal, rechazo, me niego, no me interesa, quiero conservarla, quiero conservarlo, me la quedo, me lo quedo, 👎, ❌, 🚫`,
  beside:
    `se, por favor, porfa, porfavor, gracias, muchas gracias, mil gracias, hola, buenas, buenos dias, buenas tardes, eso, esto, esta, este, ese, esa, lo, la, el, los, las, me, mi, mis, un, una, yo, usted, tu, es, son, de, del, a, al, con, con eso, con esto, con la, con el, con mi,
    ya, ahora, ahora mismo, ya mismo, enseguida, inmediatamente, lo antes posible, cuanto antes, para mi, entonces, pues, bien, muy bien, bueno, genial, estupendo, excelente, quiero, quisiera, me gustaria, deseo, que, puede, puedes, puede hacerlo, puedes hacerlo, sin problema, ningun problema, no hay problema, todos
    los datos son correctos, los datos son correctos, los detalles son correctos, la informacion es correcta, como acordamos, como se indica, hacer, hacerlo, realizar, realice, efectuar, tramite, senor, senora, ah, oh, solicitud, mi solicitud, cambio, el cambio, 👍, ✅, 👌, ✔, 🙏, 🙂, 😊, 😀, 😁, 😃, ❤, 🎉, 👋`,
  denies: "ni, nada, nadie, ningun, ninguna, ninguno, sin, excepto, salvo, menos, contra, tampoco",
  conditions:
    `si, solo si, pero solo si, siempre que, siempre y cuando, con tal de que, a menos que, a no ser que, mientras, en cuanto, cuando, antes, antes de, despues, despues de, hasta, hasta que, primero, depende, dependiendo, de lo contrario, si no, en caso, en caso de, a condicion, con la
    condicion, solo, solamente, unicamente, una vez`,
  hesitates:
    `espera, espere, esperar, un momento, un momentito, momento, un segundo, un minuto, quizas, quiza, tal vez, a lo mejor, puede ser, puede que, posiblemente, probablemente, no estoy seguro, no estoy segura, no se, no lo se, ni idea, creo, creo que, creo que sí, supongo, supongo que sí, pienso, pensar, pensarlo, dejame, dejeme, deja, mas tarde, luego,
    manana, hm, hmm, mmm, eh, este bueno, mas o menos, en realidad, pronto, da igual, algun dia, ya veremos, 🤔, 🤨, 😕, 🤷, 🙄`,
  quotes:
    "dijo, dice, dicen, dijeron, dicho, decia, segun, aparentemente, conto, afirma, escribio, respondio, contesto, prometio, prometieron, comento",
  asks:
    `cual, cuales, cuando es, donde, quien, por que, porque, como, cuanto, cuanta, cuantos, puedo, podria, podrias, podemos, se puede, me puede, me puedes, me podria, puede decirme, puedes decirme, hay, tengo que, debo, tienen, tiene usted, es posible, va a, voy a, pregunta, una pregunta,
    preguntar, digame, dime, explique, explica, saber, perdon, que es, que pasa, que dia, que hora, que tal`,
  more:
    `tambien, ademas, otra, otro, otras, otros, en lugar, en vez, pero, sin embargo, aunque, ambos, ambas, los dos, las dos, todos, todas, todo, distinto, diferente, segunda, segundo, luego, y luego, de paso, por cierto, de nuevo, otra vez, sino, mas, cada, mejor, aparte, dos veces`,
  wishes:
    `transferir, transfierame, transfiera, transfiere, pasame, paseme, comuniqueme, comunicame, hablar, hablo, llamar, llame, llama, contactar, enviar, envie, enviame, envieme, cambiar, cambia, modificar, modifica, modifique, reservar, reserva, reserve, cancelar, cancela, cancele, reembolsar, reembolso, devolver, devolucion, anadir, anade, agregar,
    agrega, agregue, quitar, eliminar, borrar, pedir, comprar, pagar, mostrar, muestre, verificar, verifique, buscar, busca, busque, dar, deme, dame, ayudar, ayuda, ayudeme, necesito, necesita, humano, humana, agente, persona, alguien, gerente, supervisor, encargado, descuento, bono, hotel, vuelo, queja, reclamacion, pon, poner, ponga, extender, mover,
    decir, diga, lea, correo, email, mantener, mantenga`,
  joins: "y, e, o, u",
  endings:
    "ar, o, a, e, as, an, en, ando, acion, cion, cion, er, ir, iendo, alo, ala, arlo, arla, elo, ela, lo, la, ado, ada, ue, uelo, uela, ame, eme",
  unclear: {
    asks: "Usted ha preguntado algo, así que aún no he hecho nada.",
    quotes: "No estoy seguro de que esa sea su propia respuesta, así que aún no he hecho nada.",
    condition: "Usted ha puesto una condición, así que aún no he hecho nada.",
    denies: "No sé si eso era un sí o un no, así que aún no he hecho nada.",
    hesitates: "Parece que aún no está seguro, así que aún no he hecho nada.",
    more: "Usted ha mencionado también otra cosa, así que aún no he hecho nada.",
    silent: "No he entendido un sí claro, así que aún no he hecho nada."
  }
}
