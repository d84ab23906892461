/** Spanish answers. */
import type { Language } from "../ConsentLanguage.js"

export const spanish: Language = {
  code: "es",
  agrees: `sí, [me] {esta|estan|es|son|parece|parecen|va|vienen|viene} [todo]
    {bien|bueno|perfecto|perfecta|correcto|correcta|correctos|correctas|genial|excelente|ideal}, proceder con,
    continuar, continuar con, si por favor, si gracias, si porfa, si claro, si adelante, si confirmo, si quiero, si
    de acuerdo, si proceda, si senor, si senora, si esta bien, claro, claro que sí, por supuesto, desde luego, vale,
    ok, okay, okey, de acuerdo, estoy de acuerdo, conforme, estoy conforme, correcto, todo correcto, todo es
    correcto, todo esta correcto, todo esta bien, exacto, exactamente, eso es, asi es, efectivamente, perfecto,
    estoy [completamente|totalmente|muy] {seguro|segura}, confirmo, lo confirmo, te confirmo, le confirmo,
    confirmado, confirmalo, confirme, confirmelo, adelante, siga adelante, sigue adelante, dale, hazlo, hagalo, haz
    eso, haga eso, hagale, proceda, procede, proceder, puede proceder, puedes proceder, puede continuar, puedes
    continuar, continue, continua, prosiga, acepto, apruebo, autorizo, doy mi consentimiento, tiene mi permiso,
    suena bien, me sirve, me vale, eso quiero, es lo que quiero, afirmativo, andale, s, si si, sí claro que si,
    venga, listo, cómo no, todo esta perfecto, todo perfecto, todo en orden, todo bien, vaya adelante, proceda con,
    procede con, puede proceder con, continue con, continua con, si continue, si deseo, lo deseo, lo quiero, si lo
    deseo, deseo continuar, quiero continuar, deseo proceder, quiero proceder, estoy conforme con, apruebalo,
    aprueba, apruebe, aprobar, aprobado, aceptar, acepta, la informacion es correcta, los datos son correctos, los
    detalles son correctos, todos los datos son correctos, toda la informacion es correcta, me parece, suena
    perfecto, hazlo por favor, puede hacerlo, puedes hacerlo, claro que si adelante`,
  refuses:
    `no, nop, nunca, jamas, para nada, en absoluto, de ninguna manera, ni hablar, claro que no, por supuesto que no,
    no gracias, mejor no, ahora no, todavia no, aun no, hoy no, ya no, tampoco, para, pare, detente, detengase,
    alto, cancele eso, olvidalo, olvidelo, olvida eso, dejalo, dejelo, dejalo asi, dejelo asi, dejalo estar, dejelo
    estar, cambie de opinion, he cambiado de opinion, cambie de idea, me arrepenti, no quiero, no lo quiero, no la
    quiero, no lo haga, no lo hagas, no haga eso, no hagas nada, no haga nada, incorrecto, es incorrecto, esta mal,
    eso esta mal, rechazo, me niego, no me interesa, quiero conservarla, quiero conservarlo, me la quedo, me lo
    quedo, denegar, denegado, rechazar, rechazado, me molesta, me importa, no estoy de acuerdo, en desacuerdo, esa
    no, ese no, me opongo`,
  beside: `por favor, porfa, porfavor, gracias, muchas gracias, muchisimas gracias, mil gracias, gracias por su ayuda,
    gracias por tu ayuda, muchas gracias por su ayuda, muchas gracias por tu ayuda, gracias por la ayuda, se lo
    agradezco, te lo agradezco, ahora, ahora mismo, ya mismo, enseguida, inmediatamente, lo antes posible, cuanto
    antes, para mi, con eso, con esto, entonces, pues, bien, muy bien, bueno, genial, estupendo, excelente, sin
    problema, ningun problema, no hay problema, como acordamos, como se indica, senor, senora, ah, oh, y gracias`,
  leads: `quiero, quisiera, me gustaria, deseo, quiero que, deseo que, puede, puedes, hacer, haga, realizar, realice,
    efectuar, efectue, tramite, a, que, la solicitud, mi solicitud`,
  explains:
    "porque, ya que, ya no {lo|la|los|las} necesito, {lo|la} {he perdido|perdi}, fue un error, entiendo, entiendo que, se que, gracias por, seria, mis planes",
  links: "lo, la, el, los, las, me, mi, mis, un, una, eso, esto, esta, este, ese, esa, yo, se, le",
  prepositions: "con, en, por, para, sobre, entre, mediante, via",
  from: "de, del, desde",
  to: "a, al, hacia",
  denies: "ni, nada, nadie, ningun, ninguna, ninguno, sin, excepto, salvo, menos, contra, tampoco",
  conditions:
    `si, solo si, pero solo si, siempre que, siempre y cuando, con tal de que, a menos que, a no ser que, mientras,
    en cuanto, cuando, antes, antes de, despues, despues de, hasta, hasta que, primero, depende, dependiendo, de lo
    contrario, si no, en caso, en caso de, a condicion, con la condicion, solo, solamente, unicamente, una vez`,
  hesitates:
    `espera, espere, esperar, un momento, un momentito, momento, un segundo, un minuto, quizas, quiza, tal vez, a lo
    mejor, puede ser, puede que, posiblemente, probablemente, no estoy seguro, no estoy segura, no se, no lo se, ni
    idea, creo, creo que, creo que sí, supongo, supongo que sí, pienso, pensar, pensarlo, dejame, dejeme, deja, mas
    tarde, luego, manana, hm, hmm, mmm, eh, este bueno, mas o menos, en realidad, pronto, da igual, algun dia, ya
    veremos, si claro como no, ya claro, claro claro, seguro que, en teoria, teoricamente, en principio, ayer,
    adios, si ya, jaja, ja ja, y que, y ahora que, otro error`,
  quotes: `dijo, dice, dicen, dijeron, dicho, decia, segun, aparentemente, conto, afirma, escribio, respondio, contesto,
    prometio, prometieron, comento, esta de acuerdo, confirmo ayer, confirme ayer, el usuario, usuario, cliente,
    asistente, sistema, aprobado por, mi mujer, mi marido, ya confirme, ha confirmado, ha aprobado, me dijeron,
    confirmo el usuario`,
  asks: `cual, cuales, cuando es, donde, quien, por que, cuanto, cuanta, cuantos, puedo, podria, podrias,
    podemos, se puede, me puede, me puedes, me podria, puede decirme, puedes decirme, hay, tengo que, debo, tienen,
    tiene usted, es posible, va a, voy a, pregunta, una pregunta, preguntar, digame, dime, explique, explica, saber,
    perdon, que es, que pasa, que dia, que hora, que tal, esta seguro, estas seguro, esta la, esta mi, esta bien la, esta bien el, esta bien mi, es correcto el, esta correcto el, es correcta
    la, y ahora, y que, como, seguro`,
  more: `tambien, ademas, otra, otro, otras, otros, en lugar, en vez, pero, sin embargo, aunque, ambos, ambas, los dos,
    las dos, todos, todas, todo, distinto, diferente, segunda, segundo, luego, y luego, de paso, por cierto, de
    nuevo, otra vez, sino, mas, cada, mejor, aparte, dos veces, ya, ya la, ya lo`,
  verbs: `transferir, transfiera, transfiere, hablar, llamar, contactar, enviar, cambiar, modificar, reservar, cancelar,
    anular, reembolsar, devolver, devuelva, anadir, agregar, quitar, eliminar, borrar, pedir, pida, comprar, pagar,
    paga, pague, procesar, tramitar, finalizar, mostrar, muestre, verificar, buscar, dar, deme, dame, ayudar, poner, pon, ponga, extender, mover,
    decir, diga, leer, lea, mantener, mantenga, quedese, conservar, bloquear, desbloquear, cerrar, cierre, abrir,
    detener, detenga, parar, iniciar, cobrar, activar, desactivar, reemplazar, publicar, compartir, imprimir,
    guardar, aprobar, apruebe, restaurar, deshacer, deshaga, deshagalo, recibir, solicitar, mandar, vender, emitir,
    renovar, comunicar, pasar, paseme`,
  same: `cancelar cancelacion anular anulacion, reservar reserva reservacion, reembolsar reembolso devolver devuelva
    devolucion, cambiar cambio modificar modificacion actualizar actualizacion, enviar envio envie mandar,
    transferir transfiera transfiere transferencia, comprar compra pedir pedido, pagar paga pague pago, eliminar
    borrar eliminacion, detener detenga parar pare, mover mueva reprogramar, mantener mantenga conservar, cerrar
    cierre`,
  actions: `cancel cancelar, book reservar, delete eliminar, send enviar, pay pagar, buy comprar, order pedir, change
    cambiar, refund reembolsar, transfer transferir, close cerrar, stop detener, keep mantener, add agregar
    anadir, remove quitar`,
  things: `booking reserva, reservation reserva, order pedido, flight vuelo, room habitacion, table mesa, appointment
    cita, account cuenta, subscription suscripcion, trip viaje, ticket billete boleto`,
  wishes:
    `humano, humana, agente, persona, alguien, gerente, supervisor, encargado, descuento, bono, hotel, vuelo, queja,
    reclamacion, necesito, necesita, correo, email, mujer, marido, jefe`,
  generic:
    `puedo, puede, esta, estan, debo, datos, detalles, informacion, solicitud, su, sus, tu, tus, usted, desea, quiere, quieres, deseas, le, es, son,
    sera, seran, voy, ahora, que`,
  future: "sera, seran, voy, vamos",
  requests: `por favor confirme, por favor confirma, confirme con, para confirmar, responda, responde, confirme`,
  makes: "reservar, comprar, pedir, anadir, agregar, enviar",
  takes: "cancelar, anular, eliminar, borrar, cerrar, quitar, bloquear, devolver",
  classes: "direccion, fecha, hora, vuelo, pedido, reserva, habitacion, mesa",
  money: "precio, coste, costo, tarifa, diferencia, cargo, importe",
  amounts: "dinero, importe, monto",
  joins: "y, e, o, u",
  or: "o, u, tambien, alternativamente, otra, otro",
  endings:
    `ar, a, e, er, ir, acion, cion, alo, ala, arlo, arla, elo, ela, alos, alas, elos, elas, arlos, arlas, ele, eles, ue, uelo, uela, ame, eme, en, lo, la, los, las`,
  finite: "o, as, an, es, en",
  past: "ado, ada, ando, iendo, amos",
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
