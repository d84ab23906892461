/** Portuguese answers. */
import type { Language } from "../ConsentLanguage.js"

/**
 * @since 0.2.0
 * @category languages
 */
export const portuguese: Language = {
  code: "pt",
  agrees:
    `sim, sim sim, sim senhor, claro, claro que sim, com certeza, com toda a certeza, certo, certamente, esta certo, ta certo, tudo certo, certinho, ok, okay, okey, de acordo, estou de acordo, concordo, correto, correcto, esta correto, isso esta correto, tudo correto, exato, exatamente, isso, isso
    mesmo, e isso, e isso mesmo, e isso ai, perfeito, confirmo, eu confirmo, confirmado, confirma, confirme, pode, pode sim, pode ser, podem, pode fazer, pode prosseguir, pode continuar, pode seguir, pode avancar, pode ir, pode confirmar, prossiga, prosseguir, continue, siga, avance, avancar, faca, faca isso, faz isso, faz,
    aceito, aprovo, autorizo, tem a minha autorizacao, tem minha permissao, parece bom, parece otimo, parece-me bem, por mim tudo bem, tudo bem, esta bem, esta bom, ta bom, ta bem, beleza, blz, fechado, combinado, vamos, vamos la, manda ver, manda bala, positivo, afirmativo, tenho certeza, sem duvida, e o que eu quero, quero sim`,
  refuses:
    `nao, nao nao, n, nunca, jamais, de jeito nenhum, de maneira nenhuma, nem pensar, claro que nao, nao obrigado, nao obrigada, melhor nao, agora nao, ainda nao, hoje nao, ja nao, nao mais, pare, para, parar, esquece, esqueca, esqueca isso, esquece isso, deixa, deixe, deixa pra la, deixe pra la, deixa estar, deixe estar, deixa assim, deixe
    assim, deixe como esta, deixa como esta, mudei de ideia, mudei de opiniao, desisto, desisti, nao quero, nao quero isso, eu nao quero, nao faca, nao faca isso, nao faca nada, errado, esta errado, isso esta errado, incorreto, recuso, nao tenho interesse, quero manter, vou manter, vou ficar com ela, vou ficar com ele, 👎, ❌, 🚫`,
  beside:
    `por favor, pf, pfv, se faz favor, se possivel, obrigado, obrigada, muito obrigado, muito obrigada, brigado, brigada, valeu, ola, oi, bom dia, boa tarde, isto, este, esta, esse, essa, o, a, os, as, lo, la, me, meu, minha, um, uma, eu, voce, tu, e, sao, de, do, da, com, com isso, com isto, com a, com o, ja, agora, agora mesmo, imediatamente, o
    mais rapido possivel, o quanto antes, para mim, pra mim, entao, bem, muito bem, bom, otimo, excelente, legal, quero, eu quero, gostaria, gostaria de, eu gostaria de, desejo, que, voce pode, sem problema, sem problemas, os dados estao corretos, todos os dados estao corretos, as informacoes estao corretas, como combinado, fazer, realizar,
    efetuar, senhor, senhora, ah, oh, pedido, solicitacao, alteracao, mudanca, 👍, ✅, 👌, ✔, 🙏, 🙂, 😊, 😀, 😁, 😃, ❤, 🎉, 👋`,
  denies: "nem, nada, ninguem, nenhum, nenhuma, sem, exceto, menos, contra, salvo, tampouco, apenas nao",
  conditions:
    `se, so se, mas so se, somente se, apenas se, desde que, contanto que, a menos que, a nao ser que, enquanto, assim que, logo que, quando, antes, antes de, depois, depois de, ate, ate que, primeiro, depende, dependendo, caso, caso contrario, senao, em caso, com a condicao, so, somente, apenas, uma vez, sob
    a condicao`,
  hesitates:
    `espera, espere, esperar, um momento, momento, um momentinho, um segundo, um minuto, um instante, so um momento, peraí, perai, talvez, quem sabe, possivelmente, provavelmente, nao tenho certeza, nao sei, sei la, acho, acho que, acho que sim, creio, creio que, creio que sim, suponho, penso, pensar, deixa eu, deixe-me, deixe me, mais tarde, logo, amanha, hm, hmm, eh, ahn,
    mais ou menos, na verdade, em breve, tanto faz, um dia, vou ver, vamos ver, 🤔, 🤨, 😕, 🤷, 🙄`,
  quotes:
    "disse, diz, dizem, disseram, falou, segundo, aparentemente, contou, afirma, escreveu, respondeu, prometeu, prometeram, comentou",
  asks:
    `qual, quais, onde, quem, por que, porque, como, quanto, quanta, quantos, posso, poderia, poderias, podemos, da para, da pra, pode me dizer, pode dizer, pode me, tem como, tenho que, devo, ha, existe, e possivel, vai ser, vou receber, sera que, pergunta, uma pergunta, perguntar, duvida, uma duvida, diga-me, me diga, explique, saber, o que, que horas, que dia,
    quando e, como assim, desculpe`,
  more:
    `tambem, alem disso, alem, outra, outro, outras, outros, em vez, em vez disso, ao inves, mas, porem, contudo, no entanto, embora, ambos, ambas, os dois, as duas, todos, todas, tudo, diferente, segunda, segundo, depois, e depois, aproveita, aproveite, a proposito, de novo, novamente, outra vez, sem ser, mais, cada, melhor, aliás, duas vezes`,
  wishes:
    `transferir, transfere, transfira, passa, passe, falar, fala, fale, ligar, ligue, liga, contatar, enviar, envia, envie, mandar, mande, mudar, muda, mude, alterar, altera, altere, reservar, reserva, reserve, cancelar, cancela, cancele, reembolsar, reembolso, devolver, devolucao, adicionar, adiciona, adicione, acrescentar, remover, remove, remova, eliminar, apagar, pedir,
    comprar, pagar, mostrar, mostre, verificar, verifique, ver, veja, buscar, procurar, dar, de-me, ajudar, ajuda, ajude, preciso, precisa, humano, humana, atendente, agente, pessoa, alguem, gerente, supervisor, desconto, cupom, hotel, voo, reclamacao, colocar, coloca, coloque, estender, mover, dizer, ler, email, manter`,
  joins: "e, ou",
  endings: "ar, o, a, e, as, am, em, ando, acao, cao, er, ir, endo, ado, ada, ue, amento, emento, imento",
  unclear: {
    asks: "Você perguntou algo, por isso ainda não fiz nada.",
    quotes: "Não tenho certeza de que essa seja a sua própria resposta, por isso ainda não fiz nada.",
    condition: "Você pôs uma condição, por isso ainda não fiz nada.",
    denies: "Não sei se isso foi um sim ou um não, por isso ainda não fiz nada.",
    hesitates: "Parece que ainda não tem certeza, por isso ainda não fiz nada.",
    more: "Você mencionou também outra coisa, por isso ainda não fiz nada.",
    silent: "Não entendi um sim claro, por isso ainda não fiz nada."
  }
}
