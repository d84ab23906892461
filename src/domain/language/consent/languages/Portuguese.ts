/** Portuguese answers. */
import type { Language } from "../ConsentLanguage.js"

export const portuguese: Language = {
  code: "pt",
  agrees: `sim, [me] {esta|estao|e|sao|fica|ficam|parece} [tudo|muito]
    {bom|bem|boa|otimo|otima|perfeito|perfeita|correto|correta|corretos|corretas|certo|certa|excelente},
    {funciona|serve} [bem] [para mim|pra mim], prosseguir com, continuar, continuar com, avancar com, sim senhor,
    claro, claro que sim, com certeza, com toda a certeza, certo, certamente, ta certo, tudo certo, certinho, ok,
    okay, okey, de acordo, estou de acordo, concordo, correto, correcto, tudo correto, exato, exatamente, isso
    mesmo, e isso, e isso mesmo, e isso ai, perfeito, confirmo, eu confirmo, confirmado, confirma, confirme, pode,
    podem, pode fazer, pode seguir, pode ir, pode confirmar, prossiga, prosseguir, continue, siga, avance, avancar,
    faca, faz isso, aceito, aprovo, autorizo, tem a minha autorizacao, tem minha permissao, parece-me bem, por mim
    tudo bem, tudo bem, ta bom, ta bem, beleza, blz, fechado, combinado, vamos la, manda ver, manda bala, positivo,
    afirmativo, tenho [toda a|absoluta] certeza, sem duvida, e o que eu quero, quero sim, s, isso, pode ser, vamos
    em frente, va em frente, vai em frente, siga em frente, prossiga com, pode proceder, proceda, proceda com,
    avance com, sim desejo, desejo sim, desejo continuar, quero continuar, quero prosseguir, tudo em ordem, os dados
    estao corretos, todos os dados estao corretos, as informacoes estao corretas, todas as informacoes estao
    corretas, os detalhes estao corretos, aprovado, aprove, aprovar, aceite, aceitar, concordo com, tenho a certeza,
    para mim esta bem, por mim esta bem`,
  refuses:
    `nao, nao nao, n, nunca, jamais, de jeito nenhum, de maneira nenhuma, nem pensar, claro que nao, nao obrigado,
    nao obrigada, melhor nao, agora nao, ainda nao, hoje nao, ja nao, já nao, nao mais, pare, parar, esquece, esqueca,
    esqueca isso, esquece isso, deixa, deixe, deixa pra la, deixe pra la, deixa estar, deixe estar, deixa assim,
    deixe assim, deixe como esta, deixa como esta, mudei de ideia, mudei de opiniao, desisto, desisti, nao quero,
    nao quero isso, eu nao quero, nao faca, nao faca isso, nao faca nada, errado, esta errado, isso esta errado,
    incorreto, recuso, nao tenho interesse, quero manter, vou manter, vou ficar com ela, vou ficar com ele,
    negar, negado, recusar, recusado, rejeitar, nao concordo, discordo, eu me importo, me importo, essa nao, esse
    nao, oponho-me`,
  beside: `por favor, pf, pfv, se faz favor, se possivel, obrigado, obrigada, muito obrigado, muito obrigada, brigado,
    brigada, valeu, obrigado pela ajuda, obrigada pela ajuda, muito obrigado pela ajuda, muito obrigada pela ajuda,
    obrigado pela sua ajuda, obrigada pela sua ajuda, agradeco, agora, agora mesmo, imediatamente, o mais rapido
    possivel, o quanto antes, para mim, pra mim, entao, bem, muito bem, bom, otimo, excelente, legal, com isso, com
    isto, sem problema, sem problemas, como combinado, senhor, senhora, ah, oh, e obrigado, e obrigada`,
  leads: `quero, eu quero, gostaria, gostaria de, eu gostaria de, desejo, quero que, quero que voce, voce pode, fazer,
    faca, realizar, realize, efetuar, efetue, que, a solicitacao, o pedido de`,
  explains:
    `porque, pois, nao preciso mais [dele|dela|disso], {perdi|eu perdi} [ele|ela|o cartao], foi um engano, entendo, entendo que, sei que, obrigado por, obrigada por, seria, meus planos`,
  links: `o, a, os, as, lo, la, me, meu, minha, meus, minhas, um, uma, eu, isto, este, esta, esse, essa, isso, lhe, ele,
    ela`,
  prepositions: "com, em, no, na, por, para, pelo, pela, sobre, entre, via, pra",
  from: "de, do, da, dos, das, desde",
  to: "ao, aos, para, pra",
  denies: `nem, nada, ninguem, nenhum, nenhuma, sem, exceto, menos, contra, salvo, tampouco, apenas nao`,
  conditions:
    `se, so se, mas so se, somente se, apenas se, desde que, contanto que, a menos que, a nao ser que, enquanto,
    assim que, logo que, quando, antes, antes de, depois, depois de, ate, ate que, primeiro, depende, dependendo,
    caso, caso contrario, senao, em caso, com a condicao, so, somente, apenas, uma vez, sob a condicao`,
  hesitates:
    `espera, espere, esperar, um momento, momento, um momentinho, um segundo, um minuto, um instante, so um momento,
    peraí, perai, talvez, quem sabe, possivelmente, provavelmente, nao tenho certeza, nao sei, sei la, acho, acho
    que, acho que sim, creio, creio que, creio que sim, suponho, penso, pensar, deixa eu, deixe-me, deixe me, mais
    tarde, logo, amanha, hm, hmm, eh, ahn, mais ou menos, na verdade, em breve, tanto faz, um dia, vou ver, vamos
    ver, sei, ta bom ne, em teoria, teoricamente, em principio, ontem, tchau, claro claro, e dai, e agora, jaja, kkk`,
  quotes: `disse, diz, dizem, disseram, falou, segundo, aparentemente, contou, afirma, escreveu, respondeu, prometeu,
    prometeram, comentou, concorda, confirmei, aprovou, confirmou, usuario, o usuario, cliente, assistente, sistema,
    ele, ela disse, minha mulher, meu marido, foi aprovado`,
  asks: `qual, quais, onde, quem, por que, como, quanto, quanta, quantos, posso, poderia, poderias, podemos, da
    para, da pra, pode me dizer, pode dizer, pode me, tem como, tenho que, devo, ha, existe, e possivel, vai ser,
    vou receber, sera que, pergunta, uma pergunta, perguntar, duvida, uma duvida, diga-me, me diga, explique, saber,
    o que, que horas, que dia, quando e, como assim, desculpe, tem certeza, tens a certeza, esta certo o, esta certo a, esta correto o, esta correta a, e agora, e
    dai`,
  more: `tambem, alem disso, alem, outra, outro, outras, outros, em vez, em vez disso, ao inves, mas, porem, contudo, no
    entanto, embora, ambos, ambas, os dois, as duas, todos, todas, tudo, diferente, segunda, depois, e depois,
    aproveita, aproveite, a proposito, de novo, novamente, outra vez, sem ser, mais, cada, melhor, aliás, duas
    vezes, ja, já, ja foi, já foi, segundo, os outros`,
  verbs: `transferir, transfira, passar, falar, ligar, contatar, enviar, mandar, mudar, alterar, reservar, cancelar,
    reembolsar, devolver, adicionar, acrescentar, remover, eliminar, apagar, excluir, pedir, peca, comprar, pagar,
    paga, pague, processar, finalizar, concluir, mostrar, verificar, ver, veja, buscar, procurar, dar, ajudar, colocar, estender, mover, dizer,
    diga, ler, leia, manter, mantenha, guardar, bloquear, desbloquear, fechar, abrir, parar, iniciar, cobrar,
    ativar, desativar, substituir, publicar, partilhar, compartilhar, imprimir, salvar, aprovar, restaurar,
    desfazer, desfaca, receber, solicitar, vender, emitir, renovar, trocar, anular`,
  same:
    `cancelar cancelamento anular, reservar reserva, reembolsar reembolso devolver devolucao, mudar mude mudo mudanca alterar
    alteracao atualizar atualizacao modificar modificacao trocar troca, enviar envio mandar, transferir transfira
    transferencia, comprar compra, pagar paga pague pagamento, eliminar apagar excluir exclusao remover remocao,
    parar pare, manter mantenha guardar, fechar fecho fechamento`,
  actions: `cancel cancelar, book reservar, delete eliminar, send enviar, pay pagar, buy comprar, order pedir, change
    mudar, refund reembolsar, transfer transferir, close fechar, stop parar, keep manter, add adicionar
    acrescentar`,
  things: `booking reserva, reservation reserva, order pedido encomenda, flight voo, room quarto, table mesa, account
    conta, subscription assinatura, trip viagem, ticket bilhete`,
  wishes:
    `humano, humana, atendente, agente, pessoa, alguem, gerente, supervisor, desconto, cupom, hotel, voo, reclamacao,
    preciso, precisa, email, mulher, marido, chefe, taxa`,
  generic:
    `pode, esta, estao, dados, detalhes, informacoes, informacao, solicitacao, seu, sua, seus, suas, voce, deseja, quer, gostaria,
    posso, devo, e, sao, sera, serao, vou, agora, que, eu`,
  future: "sera, serao, vou, vamos",
  requests: "por favor confirme, confirme, para confirmar, responda",
  makes: "reservar, comprar, pedir, adicionar, enviar",
  takes: "cancelar, excluir, apagar, eliminar, encerrar, fechar, remover, bloquear, devolver",
  classes: "endereco, data, hora, horario, voo, pedido, reserva, quarto, mesa",
  money: "preco, custo, taxa, valor, diferenca, tarifa",
  amounts: "dinheiro, valor, quantia",
  joins: "e, ou",
  or: "ou, tambem, alternativamente, outra, outro",
  endings: "ar, a, e, ie, as, os, er, ir, acao, cao, ue, amento, emento, imento, ir",
  finite: "o, io, as, am, em, es",
  past: "ando, endo, ado, ada, ei",
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
