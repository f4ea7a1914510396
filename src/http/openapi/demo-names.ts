/** Names of the demo that examples use. RIDs and tokens differ from installation to installation. */

export const RID = 'ri.ontology.main.ontology.0f1f5c0e-7b1a-4c57-9a53-2f0a4c1d2b3e'
export const TYPE_RID = 'ri.ontology.main.object-type.5f0a7c51-1c1e-4a53-8f57-9a1d2b3e4c5f'
export const AIRPORT_RID = 'ri.phonograph2-objects.main.object.350a7005-3cd0-88e0-bd1d-2ae673ea2ad8'
export const TOKEN = 'v1.AVWsPDbJqSQWhe8cFIZ57IyQD7z1TeBp'

export const DEMO = { ontology: 'aviation' }
export const AIRPORTS = { ...DEMO, objectType: 'airport' }
export const CITIES = { ...DEMO, objectType: 'city' }
export const ZURICH = { ...AIRPORTS, primaryKey: 'ZRH' }
