"""What the Python SDK does against a running service; scripts/check/python.ts starts both."""

import json
import os
import sys
import urllib.request
from importlib.metadata import version

from foundry_sdk import ConfidentialClientAuth, Config, FoundryClient, PalantirRPCException
from foundry_sdk.v1 import FoundryClient as FoundryClientV1

HOST = os.environ["SERVICE_HOST"]
CONFIG = Config(verify=os.environ["SSL_CERT_FILE"])
COUNT = 25

failures = 0


def check(name, actual, expected):
    global failures
    passed = actual == expected
    failures += not passed
    print(f"{'ok' if passed else 'FAILED'}  {name}")
    if not passed:
        print(f"        expected {expected!r}, got {actual!r}")


def send(method, path, body, content_type="application/json"):
    headers = {"authorization": f"Bearer {os.environ['OQS_TOKEN']}", "content-type": content_type}
    request = urllib.request.Request(
        f"https://{HOST}{path}", data=body.encode(), method=method, headers=headers
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def error_of(call):
    try:
        call()
    except PalantirRPCException as error:
        return error.name
    return None


def sign_in():
    return ConfidentialClientAuth(
        client_id=os.environ["OQS_CLIENT_ID"],
        client_secret=os.environ["OQS_CLIENT_SECRET"],
        should_refresh=False,
    )


send("PUT", "/api/admin/v1/ontologies/aviation", os.environ["OQS_DEFINITION"])
airports = [{"id": f"A{n:02}", "name": f"Airport {n}", "elevation": n} for n in range(COUNT)]
send(
    "POST",
    "/api/admin/v1/ontologies/aviation/objects/airport",
    "\n".join(json.dumps({"put": airport}) for airport in airports),
    "application/x-ndjson",
)
keys = [airport["id"] for airport in airports]

print(f"foundry-platform-sdk {version('foundry-platform-sdk')}, Python {sys.version.split()[0]}")

v2 = FoundryClient(auth=sign_in(), hostname=HOST, config=CONFIG)
ontologies = v2.ontologies.Ontology.list().data
check("v2: sign in and list ontologies", [one.api_name for one in ontologies], ["aviation"])
rid = ontologies[0].rid
check("v2: current user", v2.admin.User.get_current().username, "python")

types = v2.ontologies.Ontology.ObjectType.list(rid)
check("v2: list object types", sorted(one.api_name for one in types), ["airport", "country"])
full = v2.ontologies.Ontology.get_full_metadata(rid)
check("v2: full metadata", "airport" in full.object_types, True)

listed = v2.ontologies.OntologyObject.list(rid, "airport", page_size=10, snapshot=True)
check("v2: list every page of a snapshot", [one["__primaryKey"] for one in listed], keys)
count = v2.ontologies.OntologyObject.count(rid, "airport").count
check("v2: count", count, COUNT)
one = v2.ontologies.OntologyObject.get(rid, "airport", "A03")
check("v2: get", (one["name"], one["elevation"]), ("Airport 3", 3))

where = {"type": "gt", "field": "elevation", "value": 22}
order = {"fields": [{"field": "elevation", "direction": "desc"}]}
found = v2.ontologies.OntologyObject.search(
    rid, "airport", select=["name"], where=where, order_by=order
)
check("v2: search", [one["__primaryKey"] for one in found.data], ["A24", "A23"])
check("v2: total count", found.total_count, 2)

filtered = {
    "type": "filter",
    "objectSet": {"type": "base", "objectType": "airport"},
    "where": where,
}
loaded, token = [], None
while True:
    page = v2.ontologies.OntologyObjectSet.load(
        rid, object_set=filtered, select=[], page_size=1, page_token=token, snapshot=True
    )
    loaded += [one["__primaryKey"] for one in page.data]
    token = page.next_page_token
    if token is None:
        break
check("v2: load an object set page by page", loaded, ["A23", "A24"])
aggregated = v2.ontologies.OntologyObjectSet.aggregate(
    rid, object_set=filtered, aggregation=[{"type": "count", "name": "n"}], group_by=[]
)
check("v2: aggregate", aggregated.data[0].metrics[0].value, 2)

applied = v2.ontologies.Action.apply(
    rid, "create-airport", parameters={"id": "ZRH", "name": "Zurich"}
)
check("v2: apply an action", applied.validation.result, "VALID")
error = error_of(
    lambda: v2.ontologies.Action.apply(rid, "create-airport", parameters={"id": "ZRH"})
)
check("v2: an action that fails", error, "ObjectAlreadyExists")
error = error_of(lambda: v2.ontologies.OntologyObject.get(rid, "airport", "none"))
check("v2: an object that does not exist", error, "ObjectNotFound")

# The SDK validates metadata by its own models: nothing that it requires may be missing.
places = send("PUT", "/api/admin/v1/ontologies/places", os.environ["OQS_PLACES"])["rid"]
full = v2.ontologies.Ontology.get_full_metadata(places)
implemented = full.object_types["airport"].implements_interfaces2["Place"]
check("v2: full metadata with interfaces", implemented.properties["placeName"], "name")
check("v2: actions of an interface", implemented.action_types, {})
check("v2: shared property types", "placeName" in full.shared_property_types, True)
one = v2.ontologies.Ontology.ObjectType.get_full_metadata(places, "airport", preview=True)
check("v2: full metadata of an object type", one.implements_interfaces, ["Named", "Place"])
interfaces = v2.ontologies.OntologyInterface.list(places, preview=True)
check("v2: list interfaces", "Place" in [one.api_name for one in interfaces], True)
one = v2.ontologies.OntologyInterface.get(places, "Place", preview=True)
check("v2: get an interface", "airport" in one.implemented_by_object_types, True)
links = v2.ontologies.OntologyInterface.list_outgoing_interface_link_types(
    places, "Place", preview=True
)
check("v2: links of an interface", [one.api_name for one in links.data], ["state"])
links = v2.ontologies.Ontology.ObjectType.list_outgoing_link_types(places, "airport")
check("v2: links of an object type", "country" in [one.api_name for one in links], True)
actions = v2.ontologies.Ontology.ActionType.list(rid)
check("v2: list action types", "create-airport" in [one.api_name for one in actions], True)

v1 = FoundryClientV1(auth=sign_in(), hostname=HOST, config=CONFIG)
listed = v1.ontologies.OntologyObject.list(rid, "airport", page_size=10)
check("v1: list every page", [one.properties["id"] for one in listed], [*keys, "ZRH"])
query = {"type": "eq", "field": "properties.name", "value": "Zurich"}
found = v1.ontologies.OntologyObject.search(rid, "airport", query=query, fields=[])
check("v1: search", [one.properties["id"] for one in found.data], ["ZRH"])
v1.ontologies.Action.apply(
    rid, "delete-airport", parameters={"objectToDeleteParameter": "ZRH"}
)
found = v1.ontologies.OntologyObject.search(rid, "airport", query=query, fields=[])
check("v1: apply an action", found.data, [])

print("failed" if failures else "passed", f"({failures} failures)")
sys.exit(1 if failures else 0)
