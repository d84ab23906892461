/** Polish answers. */
import type { Language } from "../ConsentLanguage.js"

export const polish: Language = {
  code: "pl",
  agrees: `tak, [mi] {jest|sa} [mi|jak najbardziej|calkowicie] {w
    porzadku|ok|okej|poprawny|poprawna|poprawne|prawidlowy|prawidlowa|prawidlowe|dobry|dobra|dobre|wlasciwy|wlasciwa},
    [mi|nam] {pasuje|odpowiada} [mi|nam], no tak, ta, t, jasne, jasne ze tak, oczywiscie, oczywiscie ze tak, pewnie,
    pewnie ze tak, naturalnie, dobrze, dobra, ok, okej, okay, w porzadku, zgoda, zgadzam sie, zgadza sie, wszystko
    sie zgadza, to sie zgadza, dane sie zgadzaja, wszystkie dane sie zgadzaja, wszystko jest poprawne, dane sa
    poprawne, jest dobrze, wszystko dobrze, wszystko w porzadku, racja, dokladnie, zdecydowanie, absolutnie,
    prawidlowo, poprawnie, to prawda, potwierdzam, potwierdzam to, potwierdzone, potwierdz, akceptuje, wyrazam
    zgode, zatwierdzam, zatwierdz, kontynuuj, kontynuowac, prosze kontynuowac, prosze dzialac, dzialaj, smialo,
    prosze bardzo, zrob to, prosze to zrobic, niech tak bedzie, niech pan to zrobi, niech pani to zrobi, brzmi
    dobrze, wyglada dobrze, chce, jestem [calkowicie] {pewien|pewna}, kontynuujmy, do dziela, moze byc, chetnie`,
  refuses:
    `nie, nie nie, nigdy, nie dziekuje, nie trzeba, absolutnie nie, oczywiscie ze nie, jeszcze nie, nie teraz, nie
    dzis, lepiej nie, raczej nie, w zadnym razie, w zadnym wypadku, zmienilem zdanie, zmienilam zdanie, rezygnuje,
    zapomnij, zapomnij o tym, zostaw, zostaw to, niech zostanie, prosze zostawic, nie chce, nie rob tego, prosze
    tego nie robic, nie zgadzam sie, odmawiam, odrzuc, odrzucam, stop, przestan, zle, to nieprawda, nieprawda,
    niepoprawne, blad, sprzeciwiam sie`,
  beside:
    `prosze, poprosze, dziekuje, dziekuje bardzo, bardzo dziekuje, dzieki, wielkie dzieki, dziekuje za pomoc, bardzo
    dziekuje za pomoc, dzieki za pomoc, z gory dziekuje, teraz, od razu, natychmiast, jak najszybciej, dla mnie,
    wiec, super, swietnie, bardzo dobrze, nie ma problemu, zaden problem, panie, pani, jak ustalilismy, i dziekuje`,
  leads: `chce, chcialbym, chcialabym, prosze o, niech pan, niech pani, moze pan, moze pani, mozesz, wykonaj, zrealizuj,
    dokonaj`,
  explains:
    "bo, poniewaz, juz {go|jej|tego} nie potrzebuje, {zgubilem|zgubilam} {go|ja}, to byla pomylka, rozumiem, rozumiem ze, wiem ze, dziekuje za, moje plany",
  links: `to, ten, ta, te, ja, je, go, jej, ich, moj, moja, moje, mojej, mojego, ze, tego, tej, tych`,
  prepositions: "w, we, na, za, przez, przy, o, dla, ze",
  from: "z, od",
  to: "do",
  denies: "bez, oprocz, zaden, zadna, zadne, nikt, nic, przeciw, cofnij, wprost przeciwnie",
  conditions:
    `jesli, jezeli, jak tylko, pod warunkiem, o ile, chyba ze, gdy, kiedy, dopoki, dopiero, najpierw, zanim, po tym
    jak, zalezy, w przeciwnym razie, tylko, jedynie, dopiero gdy, az, do czasu`,
  hesitates:
    `czekaj, prosze czekac, chwila, chwileczke, moment, momencik, sekunde, moze, byc moze, chyba, prawdopodobnie, nie
    jestem pewien, nie jestem pewna, nie wiem, sadze, mysle, wydaje mi sie, zastanowie sie, pozniej, jutro, wczoraj,
    hm, hmm, w teorii, teoretycznie, w zasadzie, obojetnie, kiedys, zobaczymy, no tak jasne, akurat, czesc, pa,
    nara, ta jasne`,
  quotes: `powiedzial, powiedziala, mowi, mowia, mowil, mowila, podobno, rzekomo, wedlug, napisal, napisala, obiecal,
    odpowiedzial, zgodzil sie, zgodzila sie, potwierdzil, potwierdzila, potwierdzilem, potwierdzilam, uzytkownik,
    klient, asystent, system, on, ona, moja zona, moj maz`,
  asks: `co, kto, gdzie, kiedy, dlaczego, czemu, jak, jaki, jaka, jakie, ktory, ktora, ile, czy, pytanie, mam pytanie,
    zapytac, prosze powiedziec, prosze wyjasnic, na pewno, i co, no i co`,
  more: `tez, takze, rowniez, ponadto, dodatkowo, inny, inna, inne, zamiast, ale, jednak, lecz, oba, obie, oboje,
    wszystko, wszystkie, jeszcze, ponownie, znowu, drugi, druga, potem, nastepnie, przy okazji, kazdy, dwa razy,
    dwukrotnie, raczej, juz, zostala, zostalo, bylo, byla`,
  verbs: `anulowac, odwolac, zarezerwowac, rezerwowac, zwrocic, zwroc, oddac, oddaj, wymienic, wymien, przelac, przelej,
    wyslac, wyslij, zmienic, zmien, zaktualizowac, usunac, usun, dodac, dodaj, kupic, kup, zamowic, zamow, zaplacic,
    zaplac, przeniesc, przenies, zamknac, zamknij, otworzyc, otworz, zatrzymac, zatrzymaj, zablokowac, zablokuj,
    odblokowac, polaczyc, polacz, rozmawiac, zadzwonic, pokazac, pokaz, sprawdzic, sprawdz, znalezc, pomoc, pomoz,
    zachowac, zachowaj, cofnac, przywrocic, wydac, przedluzyc, obciazyc, przetworzyc, zrealizowac, sfinalizowac`,
  same: `anulowac anulowanie anuluj odwolac odwolaj odwolanie, zarezerwowac zarezerwuj rezerwowac rezerwuj rezerwacja,
    zwrocic zwroc zwrot oddac oddaj, wymienic wymien wymiana, przelac przelej przelew, wyslac wyslij wysylka przeslac przeslij,
    zmienic zmien zmiana zaktualizowac zaktualizuj, usunac usun usuniecie skasowac skasuj, kupic kup zakup zamowic
    zamow zamowienie, zaplacic zaplac zaplata platnosc, przeniesc przenies, zatrzymac zatrzymaj, zamknac zamknij,
    zachowac zachowaj zostawic, dodac dodaj`,
  actions: `cancel anulowac, book zarezerwowac, delete usunac, send wyslac, pay zaplacic, buy kupic, order zamowic,
    change zmienic, refund zwrocic, transfer przelac, close zamknac, stop zatrzymac, keep zachowac, add dodac`,
  things: `booking rezerwacje, reservation rezerwacje, order zamowienie, flight lot, room pokoj, table stolik,
    account konto, ticket bilet`,
  wishes: `czlowiek, czlowiekiem, konsultant, konsultantem, agent, osoba, ktos, kims, kierownik, rabat, bon, hotel, lot,
    reklamacja, pomoc, potrzebuje, zona, maz, szef, oplata, oplat`,
  generic:
    `moge, mozna, dane, szczegoly, informacje, prosbe, czy, mam, mamy, chce, chcesz, pan, pani, panstwo, twoj, twoja, twoje, jest,
    sa, bedzie, beda, teraz, sie`,
  future: "bedzie, beda, zostanie, zostana",
  requests: "prosze potwierdzic, potwierdz prosze, aby potwierdzic, odpowiedz",
  makes: "zarezerwowac, rezerwowac, kupic, zamowic, dodac, wyslac",
  takes: "anulowac, usunac, skasowac, zamknac, zablokowac, odwolac, zwrocic",
  classes: "adres, data, godzina, lot, pokoj, stolik, rezerwacje, zamowienie",
  money: "cena, koszt, oplata, doplata, roznica, kwota",
  amounts: "pieniadze, kwote, kwota",
  joins: "i, oraz, albo, lub",
  or: "albo, lub, takze, tez, inny, inna",
  endings:
    `ac, aj, ajcie, owac, uj, ujcie, owanie, owania, owaniem, anie, ania, aniem, enie, enia, eniem, ic, yc, ij, cie,`,
  finite: "uje, am, em, emy",
  past: "owal, owano, owany, owana, owane, ony, ona",
  cases:
    `, a, e, y, i, ę, ą, u, owi, em, ie, ow, om, ami, ach, ji, je, ja, cje, cji, cja, cie, ka, ki, ke, ce, sku, sk`,
  unclear: {
    asks: "Zadano mi pytanie, więc jeszcze nic nie zostało zrobione.",
    quotes: "Nie mam pewności, że to własna odpowiedź, więc jeszcze nic nie zostało zrobione.",
    condition: "Padł warunek, więc jeszcze nic nie zostało zrobione.",
    denies: "Nie mam pewności, czy to było tak, czy nie, więc jeszcze nic nie zostało zrobione.",
    hesitates: "Wygląda na to, że decyzja jeszcze nie zapadła, więc jeszcze nic nie zostało zrobione.",
    more: "Była mowa też o czymś innym, więc jeszcze nic nie zostało zrobione.",
    silent: "Nie padło wyraźne tak, więc jeszcze nic nie zostało zrobione."
  }
}
