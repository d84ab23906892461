/** Plain words of yes and no in further languages, read as one language. */
import type { Language } from "../ConsentLanguage.js"
import { english } from "../English.js"

const nothing = {
  leads: "",
  explains: "",
  links: "",
  prepositions: "",
  from: "",
  to: "",
  denies: "",
  conditions: "",
  hesitates: "",
  quotes: "",
  asks: "",
  more: "",
  verbs: "",
  same: "",
  wishes: "",
  generic: "",
  future: "",
  requests: "",
  joins: "",
  or: "",
  endings: "",
  finite: "",
  past: ""
}

export const further: Language = {
  ...nothing,
  code: "und",
  agrees:
    `jo, jovisst, javisst, visst, ja visst, ja tack, gärna, självklart, okej, ja tak, gerne, selvfølgelig, selvfolgelig, ja takk, gjerne, joo, kyllä, ano, jasně, samozřejmě,
    да, ага, конечно, хорошо, верно, согласен, согласна, подтверждаю, так, звичайно, добре, згоден, згодна, підтверджую, evet, tamam, olur, elbette, onaylıyorum, ya, iya, baik, setuju, vâng, dạ, đúng, được, đồng ý,
    نعم, اجل, أجل, طبعا, حسنا, موافق, हाँ, हां, जी हाँ, ठीक है, 是, 是的, 对, 對, 好, 好的, 行, 可以, 嗯, 确认, 確認, はい, ええ, うん, 네, 예, 응, 그래요, 좋아요, ναι, βεβαίως, da, desigur, igen, persze`,
  refuses:
    `nej, nej tack, nej tak, nei, ei, ne, нет, не, неа, не надо, ні, hayır, yok, tidak, bukan, jangan, không, لا, كلا, नहीं, नही, 不, 不是, 不要, 不用, 没有, 沒有, 否, いいえ, いえ, 結構です, 아니요, 아니오, 아니, όχι, nu, nem`,
  beside:
    `tack, tack så mycket, takk, tak, kiitos, děkuji, prosím, спасибо, большое спасибо, пожалуйста, дякую, будь ласка, lütfen, teşekkürler, teşekkür ederim, terima kasih, tolong, cảm ơn, شكرا, من فضلك, जी, धन्यवाद, कृपया, 谢谢, 謝謝, 请, お願いします, ありがとうございます, 감사합니다, 부탁합니다, ευχαριστώ, παρακαλώ, mulțumesc, köszönöm`,
  unclear: english.unclear
}
