/** The objects of the demo: well-known airports, positions and elevations rounded. */

// IATA code, name, city, country, elevation in feet, longitude, latitude, local name, its language
const AIRPORTS = `
AMS|Amsterdam Airport Schiphol|Amsterdam|NL|-11|4.76|52.31|Luchthaven Schiphol|nl
ARN|Stockholm Arlanda Airport|Stockholm|SE|137|17.92|59.65|Stockholm-Arlanda flygplats|sv
ATL|Hartsfield-Jackson Atlanta International Airport|Atlanta|US|1026|-84.43|33.64
BCN|Josep Tarradellas Barcelona-El Prat Airport|Barcelona|ES|12|2.08|41.3|Aeropuerto Josep Tarradellas Barcelona-El Prat|es
BER|Berlin Brandenburg Airport|Berlin|DE|157|13.5|52.37|Flughafen Berlin Brandenburg|de
BKK|Suvarnabhumi Airport|Bangkok|TH|5|100.75|13.69|ท่าอากาศยานสุวรรณภูมิ|th
BOG|El Dorado International Airport|Bogotá|CO|8361|-74.15|4.7|Aeropuerto Internacional El Dorado|es
CAI|Cairo International Airport|Cairo|EG|382|31.41|30.12|مطار القاهرة الدولي|ar
CDG|Paris Charles de Gaulle Airport|Paris|FR|392|2.55|49.01|Aéroport de Paris-Charles-de-Gaulle|fr
CPH|Copenhagen Airport|Copenhagen|DK|17|12.66|55.62|Københavns Lufthavn|da
CPT|Cape Town International Airport|Cape Town|ZA|151|18.6|-33.97|Kaapstad Internasionale Lughawe|af
DEL|Indira Gandhi International Airport|Delhi|IN|777|77.1|28.57|इन्दिरा गांधी अन्तर्राष्ट्रीय विमानक्षेत्र|hi
DEN|Denver International Airport|Denver|US|5431|-104.67|39.86
DFW|Dallas Fort Worth International Airport|Dallas|US|607|-97.04|32.9
DUB|Dublin Airport|Dublin|IE|242|-6.27|53.42|Aerfort Bhaile Átha Cliath|ga
DXB|Dubai International Airport|Dubai|AE|62|55.36|25.25|مطار دبي الدولي|ar
EZE|Ministro Pistarini International Airport|Buenos Aires|AR|67|-58.54|-34.82|Aeropuerto Internacional Ministro Pistarini|es
FCO|Leonardo da Vinci-Fiumicino Airport|Rome|IT|13|12.25|41.8|Aeroporto Leonardo da Vinci di Fiumicino|it
FRA|Frankfurt Airport|Frankfurt|DE|364|8.57|50.03|Flughafen Frankfurt Main|de
GRU|São Paulo/Guarulhos International Airport|São Paulo|BR|2459|-46.47|-23.43|Aeroporto Internacional de São Paulo/Guarulhos|pt
HEL|Helsinki Airport|Helsinki|FI|179|24.96|60.32|Helsinki-Vantaan lentoasema|fi
HKG|Hong Kong International Airport|Hong Kong|HK|28|113.91|22.31|香港國際機場|zh
HND|Tokyo Haneda Airport|Tokyo|JP|35|139.78|35.55|東京国際空港|ja
ICN|Incheon International Airport|Seoul|KR|23|126.45|37.46|인천국제공항|ko
IST|Istanbul Airport|Istanbul|TR|325|28.73|41.26|İstanbul Havalimanı|tr
JFK|John F. Kennedy International Airport|New York|US|13|-73.78|40.64
JNB|O. R. Tambo International Airport|Johannesburg|ZA|5558|28.25|-26.14
KEF|Keflavík International Airport|Reykjavík|IS|171|-22.61|63.99|Keflavíkurflugvöllur|is
LAX|Los Angeles International Airport|Los Angeles|US|125|-118.41|33.94
LHR|London Heathrow Airport|London|GB|83|-0.46|51.47
LIS|Humberto Delgado Airport|Lisbon|PT|374|-9.13|38.78|Aeroporto Humberto Delgado|pt
MAD|Adolfo Suárez Madrid-Barajas Airport|Madrid|ES|1998|-3.57|40.47|Aeropuerto Adolfo Suárez Madrid-Barajas|es
MEX|Mexico City International Airport|Mexico City|MX|7316|-99.07|19.44|Aeropuerto Internacional de la Ciudad de México|es
MUC|Munich Airport|Munich|DE|1487|11.79|48.35|Flughafen München|de
NBO|Jomo Kenyatta International Airport|Nairobi|KE|5330|36.93|-1.32
ORD|Chicago O'Hare International Airport|Chicago|US|672|-87.9|41.98
OSL|Oslo Airport, Gardermoen|Oslo|NO|681|11.1|60.19|Oslo lufthavn, Gardermoen|no
PEK|Beijing Capital International Airport|Beijing|CN|116|116.6|40.08|北京首都国际机场|zh
SFO|San Francisco International Airport|San Francisco|US|13|-122.37|37.62
SIN|Singapore Changi Airport|Singapore|SG|22|103.99|1.36|新加坡樟宜机场|zh
SYD|Sydney Kingsford Smith Airport|Sydney|AU|21|151.18|-33.95
VIE|Vienna International Airport|Vienna|AT|600|16.57|48.11|Flughafen Wien-Schwechat|de
YYZ|Toronto Pearson International Airport|Toronto|CA|569|-79.63|43.68|Aéroport international Pearson de Toronto|fr
ZRH|Zurich Airport|Zurich|CH|1416|8.55|47.46|Flughafen Zürich|de
`

// ISO 3166-1 alpha-2 code, name, capital
const COUNTRIES = `
AE|United Arab Emirates|Abu Dhabi
AR|Argentina|Buenos Aires
AT|Austria|Vienna
AU|Australia|Canberra
BR|Brazil|Brasília
CA|Canada|Ottawa
CH|Switzerland|Bern
CN|China|Beijing
CO|Colombia|Bogotá
DE|Germany|Berlin
DK|Denmark|Copenhagen
EG|Egypt|Cairo
ES|Spain|Madrid
FI|Finland|Helsinki
FR|France|Paris
GB|United Kingdom|London
HK|Hong Kong|City of Victoria
IE|Ireland|Dublin
IN|India|New Delhi
IS|Iceland|Reykjavík
IT|Italy|Rome
JP|Japan|Tokyo
KE|Kenya|Nairobi
KR|South Korea|Seoul
MX|Mexico|Mexico City
NL|Netherlands|Amsterdam
NO|Norway|Oslo
PT|Portugal|Lisbon
SE|Sweden|Stockholm
SG|Singapore|Singapore
TH|Thailand|Bangkok
TR|Türkiye|Ankara
US|United States|Washington, D.C.
ZA|South Africa|Pretoria
`

/** Properties of each object, by object type. */
export const DEMO_OBJECTS: Readonly<Record<string, readonly object[]>> = {
  airport: rowsOf(AIRPORTS).map(
    ([iata, name, city, countryCode, elevation, longitude, latitude, localName, language]) => ({
      iata,
      name,
      city,
      countryCode,
      elevationFeet: Number(elevation),
      location: { type: 'Point', coordinates: [Number(longitude), Number(latitude)] },
      names: [
        { text: name, language: 'en' },
        ...(localName === undefined ? [] : [{ text: localName, language }]),
      ],
    }),
  ),
  country: rowsOf(COUNTRIES).map(([code, name, capital]) => ({ code, name, capital })),
}

function rowsOf(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .map((row) => row.split('|'))
}
