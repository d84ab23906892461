/**
 * A message that is nothing but a yes or a no: it answers the question that was asked, and states nothing of its own.
 *
 * @since 0.1.0
 */

/** Words of agreement, of refusal, and of politeness around them, in the languages that most people write. */
const words = new Set(
  `yes yeah yep yup sure ok okay k right correct exactly absolutely definitely certainly agreed please thanks thank you
   of course no nope nah never not really course fine great perfect good alright all
   sí si claro vale correcto por favor gracias no nunca jamás
   sim claro certo correto obrigado obrigada favor não nao
   oui ouais si bien sûr sur d'accord daccord merci s'il te vous plaît plait non
   ja jawohl klar genau richtig gerne gern bitte danke nein nee nö ne
   ja graag prima dank nee hoor jazeker
   sì certo va bene grazie prego esatto no
   ja jo visst tack nej javisst
   tak jasne oczywiście proszę dziękuję nie dobrze
   да ага конечно хорошо верно спасибо пожалуйста нет не неа
   так звичайно дякую будь ласка ні
   evet tamam olur elbette lütfen teşekkürler hayır yok
   ya iya baik oke tolong terima kasih tidak bukan
   vâng dạ có đúng được không cảm ơn
   نعم اجل أجل طبعا حسنا شكرا من فضلك لا كلا
   हाँ हां जी ठीक है धन्यवाद नहीं नही
   是 是的 对 對 好 好的 行 可以 嗯 谢谢 謝謝 不 不是 不要 不用 没有 沒有 否
   はい ええ うん お願いします いいえ いえ 結構です
   네 예 응 그래요 좋아요 감사합니다 아니요 아니오 아니`.split(/\s+/)
)

/** The most words that are still nothing but an answer. */
const longest = 4

/**
 * Whether a message says yes or no and nothing else.
 *
 * @since 0.1.0
 * @category guards
 */
export const isBareAnswer = (message: string): boolean => {
  const said = message.normalize("NFC").toLowerCase().replaceAll("’", "'").split(/[^\p{L}\p{M}\p{N}']+/u)
    .filter((word) => word !== "")
  // A thumb up or down, and other signs without a word.
  if (said.length === 0) return true
  return said.length <= longest && said.every((word) => words.has(word))
}
