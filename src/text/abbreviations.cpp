#include "text/abbreviations.h"

#include <array>
#include <map>
#include <unordered_map>

namespace heed::text {

namespace {

// Lists of words separated by spaces. A word that contains a full stop and a letter (z.B, i.e, S.A) needs no entry: it
// keeps its last full stop by rule.
struct Abbreviations {
  std::string_view language;
  std::array<std::string_view, 6> words;
  std::string_view before_number = "";
};

constexpr std::string_view kCapitals = "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z";
constexpr std::string_view kSmall = "a b c d e f g h i j k l m n o p q r s t u v w x y z";
constexpr std::string_view kRoman =
    "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX "
    "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx";
constexpr std::string_view kTitles =
    "Adj Adm Adv Asst Bart Bldg Brig Bros Capt Cmdr Col Comdr Con Corp Cpl DR Dr Ens Gen Gov Hon Hosp Insp Lt MM MR "
    "MRS MS Maj Messrs Mlle Mme Mr Mrs Ms Msgr Op Ord Pfc Ph Prof Pvt Rep Reps Res Rev Rt Sen Sens Sfc Sgt Sr St "
    "Supt Surg";
constexpr std::string_view kMonths = "Jan Feb Mar Apr Jun Jul Aug Sep Oct Nov Dec";
// Some languages write ordinals as numbers with a full stop.
constexpr std::string_view kOrdinals =
    "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 "
    "37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 "
    "70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99";

constexpr Abbreviations kLists[] = {
    {"en", {kCapitals, kTitles, kMonths, "Drs Hr v vs rev Rs Nos Nr"}, "No Art pp"},
    {"de",
     {kCapitals, kSmall, kRoman, kTitles, kOrdinals,
      "Mio Mrd bzw vs usw etc MwSt ggf vgl sogen ff Buchst sog Std evtl Zt Chr Ltd spp sen SA jun dgl "
      "dergl Co zzt usf Dkr bzgl BSE No Nos Art Nr pp ca Ca"}},
    {"fr",
     {kCapitals,
      "b c d e f g h i j k l m n o p q r s t u v w x y z art ann apr av auj lib boul ca cf chap contr dir "
      "éd env al etc ex fasc fém fig fr hab ibid id inf masc MM ms pl pp sec sect sing sq sqq suiv sup "
      "suppl tél SS vb vol vs"}},
    {"es",
     {kCapitals,
      "Apdo Av Bco Da Dep Dn Dr Dra Excmo Gral Let Lic Prof Pts Rte Sr Sra Srta Sta Sto Tel Ud Uds Vd Vds "
      "adj admón afmo apdo av c cap cm cta dcha doc ej entlo esq etc grs izq kg km mg mm núm p ptas pág "
      "págs s vid vol"}},
    {"it",
     {kCapitals, kTitles,
      "Amn Arch Avv Bcc Cc Co Dott Drs Egr Geom Hr Id Ing Mo Mons RP RSVP Rag Rif Sig Sigg Soc Spett acc "
      "all banc corr dott ecc es fatt gg int lett ogg on post racc ric seg sgg ss tel v vs rev Nos Nr"},
     "No pp"},
    {"pt",
     {kCapitals, kSmall, kRoman,
      "Adj Adm Adv Art Ca Capt Cmdr Col Comdr Con Corp Cpl DR DRA Dr Dra Dras Drs Eng Enga Engas Engos Ex "
      "Exo Exmo Fig Gen Hosp Insp Lda MM MR MRS MS Maj Mrs Ms Msgr Op Ord Pfc Ph Prof Pvt Rep Reps Res Rev "
      "Rt Sen Sens Sfc Sgt Sr Sra Sras Srs Sto Supt Surg adj adm adv art cit col con corp cpl dr dra dras "
      "drs eng enga engas engos ex exo exmo fig op prof sr sra sras srs sto v vs rev"},
     "No Nos art nr p pp"},
    {"nl",
     {kCapitals,
      "bacc bc bgen dhr dr drs ds eint fa Fa fam gen genm ing ir jhr jkvr jr kand kol lgen lkol Lt maj Mej "
      "mevr Mme mr Mw plv prof ritm tint Vz bijv bijz bv ev Nrs nrs"},
     "Nr nr"},
    {"cs",
     {kOrdinals,
      "Bc BcA Ing MUDr MVDr MgA Mgr JUDr PhDr RNDr PharmDr ThLic ThDr PaedDr Dr PhMr DiS prof doc CSc DrSc "
      "abt ad aj angl anon apod atd atp aut bd biogr cca cit cizojaz col čes čín čj ed facs fasc fol fot "
      "franc hist hl hrsg ibid il ind jap jhdt jv koed kol korej kl krit lat lit maď mj mp násl např "
      "nepubl něm no nr okr odd odp obr opr orig phil pl pokrač pol port pozn přel přeprac příl pseud pt "
      "red repr resp revid rkp roč roz rozš samost sect sest seš sign sl srv stol sv šk špan tab tis tj tř "
      "tzv univ uspoř vol vs vyd vyobr zal zejm zkr zprac zvl"}},
    {"sk",
     {"Bc Mgr RNDr PharmDr PhDr JUDr PaedDr ThDr Ing MUDr MDDr MVDr Dr ThLic PhD ArtD Dis Ev Priv Prof Doc "
      "Odd Obr afr alch amer anat angl archit astron atd atď atp bot bud býv cca cit cudz čes čín čl dial "
      "dram ekon etc fot franc fyz geogr gréc hist hl hod chem ident indiv jap jaz juž koef kol krát lat "
      "lek lit maď mat mil mj nár napr nem obd obch obj obr obyč odb odd opr opt orient orig pl pol por "
      "pozn prekl príbl príp pr priem prof príd psych resp rkp roč rus sg skr slov sov spol stor str "
      "stredov súč sv šport špan tab tech tel telev teol tis tj tur tvz tzn tzv uhor umel univ ust vedľ "
      "verb voj vs výtv význ vzťaž zám zastar zb zdrav zdrob zn zool"}},
    {"pl",
     {"adw afr akad al amer arch art artyst astr astron bisk bot bp bryg bud bł chem chor cyt cz czes dag "
      "dkr dn doc dot dr duń dyr ekon el elektr emer fiz fot gat gastr gen geogr geol gimn gm godz górn gr "
      "grec hab hist holend im inż itd itp jez kap kier kl kol kpt ks kard lek lit łac mar mat mec med min "
      "mjr mł muz nr np nazw niem odc ok op os ośr pl płd płk płn por pow poł pp ppłk prof przyp ps red "
      "ref reż rkm ros rozdz ryc rys rz sp spec str szer szt szp śp śr śrdw św tab tel tj tjw tys tzn tzw "
      "ul ur v vol vs wg wier wlk wł woj wsch wyd wyk zł zob zach zb zm zn"}},
    {"sl",
     {kCapitals, kOrdinals,
      "dr Dr itd itn št ga dipl ing inž mag mr npr oz prof roj tj tzv ul str gl min mio mrd sv ok sr kg km "
      "čl odst tč idr ipd pl polj vs vol zv"}},
    {"ru",
     {kCapitals,
      "А Б В Г Д Е Ж З И Й К Л М Н О П Р С Т У Ф Х Ц Ч Ш Щ Ъ Ы Ь Э Ю Я кв "
      "обл ул пл просп пер стр им см рис табл гл разд акад проф доц канд тел тыс млн млрд руб коп др напр"}},
    {"hu",
     {kCapitals,
      "Á É Í Ó Ö Ő Ú Ü Ű Dr dr kb Kb vö Vö pl Pl ca Ca min Min max Max ún Ún prof Prof Szt St vs ill stb "
      "sz kft Kft Rt Bt"}},
    {"ro",
     {kCapitals,
      "dpdv etc șamd dl Dl dle Dle dna Dna dlui Dvs Dvoastră dvs alin art Art nr Nr pag Pag cap Cap vol "
      "Vol str Str bd Bd tel ex Ex sf Sf ing prof Prof dr Dr conf gen col lt cpt"}},
    {"fi",
     {kCapitals,
      "Å Ä Ö alik alil amer apul apup arv ay cm dipl dl dos ekon ell ent eo esim ev evp fil FK fyys geol "
      "henk HM hra hum hv inm ins jatk joht jne jr juh jv kand kd kelp khra kirj kk klo km ko kok kpl kts "
      "ks ku kv leht lis luutn maist maj mm mrd milj muist myöh ns nk nro nuor nyk oik ork oy oyj palv pl "
      "pnä pros prof puh puoll pv rek rov rva siht synt tark tav tek toim ts tsto tt tunn vanh vp vrt vs "
      "vt ym yms yo ylim yliopp"}},
    {"et",
     {kCapitals,
      "Õ Ä Ö Ü dr hr jne jpt jm jms jt kap khk kl kpl kr krt lhk lk lüh mag nn nr nt pr prl prof pms saj "
      "sealh sh skp stj sts tel tn vm vrd vs õp ük"}},
    {"sv",
     {kCapitals,
      "Å Ä AB VG dvs etc from iaf jfr kl kr mao mfl mm osv pga tex tom vs adv jur kand mag fil lic prop d "
      "f s mha vol jan feb mar apr jun jul aug sep okt nov dec"}},
    {"lv",
     {kCapitals,
      "Ā Č Ē Ģ Ī Ķ Ļ Ņ Š Ū Ž dr Dr med prof Prof inž Inž kand izd utt sal sk skat piem nr Nr lpp tab plkst "
      "gs tūkst milj miljrd tālr"}},
    {"lt",
     {kCapitals,
      "Ą Č Ę Ė Į Š Ų Ū Ž dr Dr prof Prof doc Doc akad inž g gerb gen kt pvz pavyzd plg proc psl pt red sav "
      "sk skg skyr sp str sv šv tel tūkst val vyr vok vard zr mln mlrd mst min mėn al asm aut ak dek dir "
      "etc etnol fiz gyd gyv įm įsak kab kand kl lentel lenk mat med mstl nkt nr Nr"}},
    {"is",
     {kCapitals,
      "Á É Í Ó Ú Ý Þ Æ Ö Ð ca dr Dr frk fr hr hf ltd mag mín nr nk próf sbr sem sl sr st tbl vol þús mlj "
      "millj skv ath bls"}},
    {"el",
     {kCapitals,
      "Α Β Γ Δ Ε Ζ Η Θ Ι Κ Λ Μ Ν Ξ Ο Π Ρ Σ Τ Υ Φ Χ Ψ Ω Αθ Αλ αρ αριθ αρχ αι βλ γεν γραμ δηλ δρ Δρ εκ εκατ "
      "εν επ επιμ εφ Ευθ κ κα κκ κεφ κλπ κτλ Κος λ λεπ λχ μ μετ μμ Μιχ ν Ντ Νικ Παν παρ πρβλ π πχ πμ σ σελ "
      "στ στρ συγκ συν συμπλ τ τεύχ τηλ τομ τρισ τΧ υπ υποσ φ χ χιλ χλμ χρ ωρ"}},
    {"ca",
     {kCapitals,
      "Dr Dra pàg p c av Sr Sra adm esq Prof Lda Ldo bibl cap carr col dept Ed ed etc ex Fr fasc gr int "
      "núm op pl pp tel vol vs"}},
    {"ga", {"Á É Í Ó Ú Uacht Dr Co Cf cf lch lgh uimh"}},
};

using Index = std::unordered_map<std::string_view, AbbreviationKind>;

void add_words(Index& index, std::string_view words, AbbreviationKind kind) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (end > 0) index.emplace(words.substr(0, end), kind);
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

const std::map<std::string_view, Index>& indices() {
  static const std::map<std::string_view, Index> made = [] {
    std::map<std::string_view, Index> all;
    for (const Abbreviations& list : kLists) {
      for (const std::string_view words : list.words) add_words(all[list.language], words, AbbreviationKind::always);
      add_words(all[list.language], list.before_number, AbbreviationKind::before_number);
    }
    return all;
  }();
  return made;
}

}  // namespace

std::vector<std::string_view> abbreviation_languages() {
  std::vector<std::string_view> languages;
  for (const auto& [language, index] : indices()) languages.push_back(language);
  return languages;
}

AbbreviationKind find_abbreviation(std::string_view language, std::string_view word) {
  const auto& all = indices();
  auto list = all.find(language);
  if (list == all.end()) list = all.find("en");
  const auto found = list->second.find(word);
  return found == list->second.end() ? AbbreviationKind::none : found->second;
}

}  // namespace heed::text
