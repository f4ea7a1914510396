-- include catalogue.sql

-- Increases when a field gets its first long text, which changes its indexes.
ALTER TABLE oqs_object_type ADD COLUMN long_fields bigint NOT NULL DEFAULT 0;

-- Every term that was ever indexed, for fuzzy search. The few terms that are too long for an index are
-- in a separate table.
CREATE TABLE oqs_term (
  term text COLLATE "C" PRIMARY KEY
);
CREATE TABLE oqs_long_term (
  term text COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX oqs_long_term_once ON oqs_long_term (md5(term));
CREATE VIEW oqs_vocabulary AS
  SELECT term FROM oqs_term UNION ALL SELECT term FROM oqs_long_term;

-- Commits whose rows may not all be visible yet, because they are on several machines. A version is
-- published once as many rows are visible as were written. At most one per type.
CREATE TABLE oqs_pending_commit (
  object_type_id bigint PRIMARY KEY REFERENCES oqs_object_type (id) ON DELETE CASCADE,
  version bigint NOT NULL,
  table_id bigint NOT NULL,
  added bigint NOT NULL,
  closed bigint NOT NULL,
  put bigint NOT NULL,
  deleted bigint NOT NULL,
  live_count bigint NOT NULL,
  max_record_bytes bigint NOT NULL,
  -- How many objects a replacement keeps of those that were there before.
  kept bigint NOT NULL DEFAULT 0
);

CREATE FUNCTION oqs_refuse_audit_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'records of the audit log cannot be changed';
END
$$;
CREATE TRIGGER oqs_audit_record_is_final BEFORE UPDATE ON oqs_audit_record
  FOR EACH ROW EXECUTE FUNCTION oqs_refuse_audit_change();

-- Numbers by which a page confirms, in its own statement, what a node remembers. Triggers count, so
-- that no change is missed, also not one that is made with other tools.

-- Increases whenever an API token is revoked or deleted. Nodes remember valid tokens; every page reads
-- this number together with its rows, so a token that was revoked on one node is refused by all.
CREATE TABLE oqs_token_generation (
  -- Exactly one row.
  id bigint PRIMARY KEY CHECK (id = 1),
  generation bigint NOT NULL
);
INSERT INTO oqs_token_generation (id, generation) VALUES (1, 0);

CREATE FUNCTION oqs_count_token_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM changed) THEN
    UPDATE oqs_token_generation SET generation = generation + 1;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER oqs_api_token_updated AFTER UPDATE ON oqs_api_token
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION oqs_count_token_change();
CREATE TRIGGER oqs_api_token_deleted AFTER DELETE ON oqs_api_token
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION oqs_count_token_change();

-- Nodes remember policies like tokens, and pages confirm both with one number.
CREATE FUNCTION oqs_count_policy_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE oqs_token_generation SET generation = generation + 1;
  RETURN NULL;
END
$$;
CREATE TRIGGER oqs_policy_saved AFTER INSERT OR UPDATE ON oqs_document
  FOR EACH ROW WHEN (NEW.kind = 'policy') EXECUTE FUNCTION oqs_count_policy_change();
CREATE TRIGGER oqs_policy_deleted AFTER DELETE ON oqs_document
  FOR EACH ROW WHEN (OLD.kind = 'policy') EXECUTE FUNCTION oqs_count_policy_change();

-- Functions of conditions. They call no other function of ours: Citus workers do not search our
-- schema.

-- True if a GeoJSON geometry intersects an area, or is within it. The area is an array of positions
-- (longitude, latitude, longitude, latitude, …) and an array of its paths, each as three numbers: the
-- member that the path belongs to, negative for a polygon; the first and the last position. The same
-- arithmetic as query/matching/shape.ts, so that all stores return the same rows.
CREATE FUNCTION oqs_relates(
  geometry jsonb, relation text, area double precision[], area_paths integer[]
) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  pending jsonb[] := ARRAY[geometry];
  taken integer := 1;
  one jsonb;
  members jsonb;
  member jsonb;
  path jsonb;
  own double precision[] := '{}';
  own_paths integer[] := '{}';
  member_count integer := 0;
  is_polygon boolean;
  -- The paths that are tested, and those that they are tested against.
  a double precision[];
  a_paths integer[];
  b double precision[];
  b_paths integer[];
  k integer;
  ax1 double precision; ay1 double precision; ax2 double precision; ay2 double precision;
  bx1 double precision; by1 double precision; bx2 double precision; by2 double precision;
  ax double precision; ay double precision;
  dx double precision; dy double precision; ex double precision; ey double precision;
  side1 double precision; side2 double precision;
  inside boolean;
  all_inside boolean;
  is_within boolean;
  tested integer;
  last_tested integer;
  polygon integer;
BEGIN
  WHILE taken <= cardinality(pending) LOOP
    one := pending[taken];
    taken := taken + 1;
    IF one ->> 'type' = 'GeometryCollection' THEN
      pending := pending || ARRAY(SELECT jsonb_array_elements(one -> 'geometries'));
      CONTINUE;
    END IF;
    is_polygon := one ->> 'type' IN ('Polygon', 'MultiPolygon');
    -- A list of members, each of which is a list of paths.
    members := CASE one ->> 'type'
      WHEN 'Point' THEN jsonb_build_array(jsonb_build_array(jsonb_build_array(one -> 'coordinates')))
      WHEN 'MultiPoint' THEN (
        SELECT coalesce(jsonb_agg(jsonb_build_array(jsonb_build_array(spot))), '[]')
        FROM jsonb_array_elements(one -> 'coordinates') AS spot
      )
      WHEN 'LineString' THEN jsonb_build_array(jsonb_build_array(one -> 'coordinates'))
      WHEN 'MultiLineString' THEN (
        SELECT coalesce(jsonb_agg(jsonb_build_array(line)), '[]')
        FROM jsonb_array_elements(one -> 'coordinates') AS line
      )
      WHEN 'Polygon' THEN jsonb_build_array(one -> 'coordinates')
      ELSE one -> 'coordinates'
    END;
    FOR member IN SELECT jsonb_array_elements(members) LOOP
      member_count := member_count + 1;
      FOR path IN SELECT jsonb_array_elements(member) LOOP
        own_paths := own_paths || ARRAY[
          CASE WHEN is_polygon THEN -member_count ELSE member_count END,
          cardinality(own) / 2 + 1,
          cardinality(own) / 2 + jsonb_array_length(path)
        ];
        own := own || ARRAY(
          SELECT (spot ->> axis)::double precision
          FROM jsonb_array_elements(path) WITH ORDINALITY AS listed (spot, n),
            generate_series(0, 1) AS axis
          ORDER BY n, axis
        );
      END LOOP;
    END LOOP;
  END LOOP;
  IF member_count = 0 THEN
    RETURN FALSE;
  END IF;

  IF relation = 'intersects' THEN
    -- Shapes whose boxes are apart have no point in common.
    SELECT min(v) FILTER (WHERE n % 2 = 1), max(v) FILTER (WHERE n % 2 = 1),
      min(v) FILTER (WHERE n % 2 = 0), max(v) FILTER (WHERE n % 2 = 0)
      INTO ax1, ax2, ay1, ay2 FROM unnest(own) WITH ORDINALITY AS listed (v, n);
    SELECT min(v) FILTER (WHERE n % 2 = 1), max(v) FILTER (WHERE n % 2 = 1),
      min(v) FILTER (WHERE n % 2 = 0), max(v) FILTER (WHERE n % 2 = 0)
      INTO bx1, bx2, by1, by2 FROM unnest(area) WITH ORDINALITY AS listed (v, n);
    IF ax2 < bx1 OR bx2 < ax1 OR ay2 < by1 OR by2 < ay1 THEN
      RETURN FALSE;
    END IF;
    -- True if two edges touch. A path of one point is one edge without length.
    FOR p IN 1 .. cardinality(own_paths) / 3 LOOP
      FOR i IN least(own_paths[3 * p - 1] + 1, own_paths[3 * p]) .. own_paths[3 * p] LOOP
        k := greatest(own_paths[3 * p - 1], i - 1);
        ax1 := own[2 * k - 1]; ay1 := own[2 * k]; ax2 := own[2 * i - 1]; ay2 := own[2 * i];
        FOR q IN 1 .. cardinality(area_paths) / 3 LOOP
          FOR j IN least(area_paths[3 * q - 1] + 1, area_paths[3 * q]) .. area_paths[3 * q] LOOP
            k := greatest(area_paths[3 * q - 1], j - 1);
            bx1 := area[2 * k - 1]; bx2 := area[2 * j - 1];
            CONTINUE WHEN greatest(ax1, ax2) < least(bx1, bx2) OR greatest(bx1, bx2) < least(ax1, ax2);
            by1 := area[2 * k]; by2 := area[2 * j];
            CONTINUE WHEN greatest(ay1, ay2) < least(by1, by2) OR greatest(by1, by2) < least(ay1, ay2);
            -- Tiny differences are none: PostgreSQL raises an error if a product underflows.
            dx := bx2 - bx1; IF abs(dx) < 1e-150 THEN dx := 0; END IF;
            dy := by2 - by1; IF abs(dy) < 1e-150 THEN dy := 0; END IF;
            ex := ax1 - bx1; IF abs(ex) < 1e-150 THEN ex := 0; END IF;
            ey := ay1 - by1; IF abs(ey) < 1e-150 THEN ey := 0; END IF;
            side1 := dx * ey - dy * ex;
            ex := ax2 - bx1; IF abs(ex) < 1e-150 THEN ex := 0; END IF;
            ey := ay2 - by1; IF abs(ey) < 1e-150 THEN ey := 0; END IF;
            side2 := dx * ey - dy * ex;
            CONTINUE WHEN sign(side1) * sign(side2) > 0;
            dx := ax2 - ax1; IF abs(dx) < 1e-150 THEN dx := 0; END IF;
            dy := ay2 - ay1; IF abs(dy) < 1e-150 THEN dy := 0; END IF;
            ex := bx1 - ax1; IF abs(ex) < 1e-150 THEN ex := 0; END IF;
            ey := by1 - ay1; IF abs(ey) < 1e-150 THEN ey := 0; END IF;
            side1 := dx * ey - dy * ex;
            ex := bx2 - ax1; IF abs(ex) < 1e-150 THEN ex := 0; END IF;
            ey := by2 - ay1; IF abs(ey) < 1e-150 THEN ey := 0; END IF;
            side2 := dx * ey - dy * ex;
            IF sign(side1) * sign(side2) <= 0 THEN
              RETURN TRUE;
            END IF;
          END LOOP;
        END LOOP;
      END LOOP;
    END LOOP;
  END IF;

  -- Tests positions of one shape against the polygons of the other. To intersect, one path must be
  -- inside, and its first position decides; to be within, all positions of each member must be.
  FOR pass IN 1 .. 2 LOOP
    IF pass = 1 THEN
      a := own; a_paths := own_paths; b := area; b_paths := area_paths;
    ELSE
      a := area; a_paths := area_paths; b := own; b_paths := own_paths;
    END IF;
    tested := 1;
    WHILE tested <= cardinality(a_paths) / 3 LOOP
      last_tested := tested;
      WHILE a_paths[3 * last_tested + 1] = a_paths[3 * tested - 2] LOOP
        last_tested := last_tested + 1;
      END LOOP;
      is_within := FALSE;
      FOR q IN 1 .. cardinality(b_paths) / 3 LOOP
        polygon := b_paths[3 * q - 2];
        -- Only the first path of each polygon: the others are counted with it.
        CONTINUE WHEN polygon > 0 OR (q > 1 AND b_paths[3 * q - 5] = polygon);
        all_inside := TRUE;
        <<positions>>
        FOR p IN tested .. last_tested LOOP
          FOR i IN a_paths[3 * p - 1] .. CASE WHEN relation = 'within' THEN a_paths[3 * p] ELSE a_paths[3 * p - 1] END LOOP
            ax := a[2 * i - 1]; ay := a[2 * i];
            inside := FALSE;
            <<rings>>
            FOR r IN q .. cardinality(b_paths) / 3 LOOP
              EXIT rings WHEN b_paths[3 * r - 2] <> polygon;
              FOR j IN b_paths[3 * r - 1] + 1 .. b_paths[3 * r] LOOP
                by1 := b[2 * j - 2]; by2 := b[2 * j];
                CONTINUE WHEN (by1 > ay AND by2 > ay) OR (by1 < ay AND by2 < ay);
                bx1 := b[2 * j - 3]; bx2 := b[2 * j - 1];
                dx := bx2 - bx1; IF abs(dx) < 1e-150 THEN dx := 0; END IF;
                dy := by2 - by1; IF abs(dy) < 1e-150 THEN dy := 0; END IF;
                ex := ax - bx1; IF abs(ex) < 1e-150 THEN ex := 0; END IF;
                ey := ay - by1; IF abs(ey) < 1e-150 THEN ey := 0; END IF;
                side1 := dx * ey - dy * ex;
                IF side1 = 0 THEN
                  IF ax >= least(bx1, bx2) AND ax <= greatest(bx1, bx2) THEN
                    inside := TRUE;
                    EXIT rings;
                  END IF;
                ELSIF (by1 > ay) <> (by2 > ay) AND (by2 > by1) = (side1 > 0) THEN
                  inside := NOT inside;
                END IF;
              END LOOP;
            END LOOP;
            IF inside AND relation = 'intersects' THEN
              RETURN TRUE;
            END IF;
            IF NOT inside AND relation = 'within' THEN
              all_inside := FALSE;
              EXIT positions;
            END IF;
          END LOOP;
        END LOOP;
        IF relation = 'within' AND all_inside THEN
          is_within := TRUE;
          EXIT;
        END IF;
      END LOOP;
      IF relation = 'within' AND NOT is_within THEN
        RETURN FALSE;
      END IF;
      tested := last_tested + 1;
    END LOOP;
    IF relation = 'within' THEN
      RETURN TRUE;
    END IF;
  END LOOP;
  RETURN FALSE;
END
$$;

-- True if a GeoJSON point is in a circle on a sphere, which is given by its center, the cosine of its
-- latitude, and the largest haversine of a distance inside. The same arithmetic as
-- query/matching/distance.ts.
CREATE FUNCTION oqs_is_near(
  geometry jsonb,
  center_longitude double precision,
  center_latitude double precision,
  center_cosine double precision,
  haversine double precision
) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  longitude double precision := (geometry #>> '{coordinates,0}')::double precision;
  latitude double precision := (geometry #>> '{coordinates,1}')::double precision;
  degrees double precision[];
  sines double precision[] := '{}';
  angle double precision;
  square double precision;
  total double precision;
  factor double precision;
BEGIN
  IF longitude IS NULL OR latitude IS NULL THEN
    RETURN FALSE;
  END IF;
  total := abs(longitude - center_longitude);
  degrees := ARRAY[
    abs(latitude - center_latitude) / 2,
    CASE WHEN total > 180 THEN 360 - total ELSE total END / 2,
    90 - abs(latitude)
  ];
  FOR n IN 1 .. 3 LOOP
    angle := degrees[n] * 0.017453292519943295;
    total := 0;
    IF angle >= 1e-70 THEN
      square := angle * angle;
      FOREACH factor IN ARRAY ARRAY[
        1.9572941063391263e-20, -8.22063524662433e-18, 2.8114572543455206e-15,
        -7.647163731819816e-13, 1.6059043836821613e-10, -2.505210838544172e-8,
        2.7557319223985893e-6, -1.984126984126984e-4, 8.333333333333333e-3,
        -1.6666666666666666e-1, 1
      ]::double precision[] LOOP
        total := total * square + factor;
      END LOOP;
      total := total * angle;
    END IF;
    sines := sines || total;
  END LOOP;
  RETURN sines[1] * sines[1] + center_cosine * sines[3] * (sines[2] * sines[2]) <= haversine;
END
$$;

-- True if a text, given as its terms separated by spaces, satisfies an interval rule. A leaf is a list
-- of terms, or a prefix. The steps are in postfix order, each as three numbers: an operation, the
-- number of its leaf or of its operands, and the largest gap or -1. The same steps as
-- query/matching/interval.ts.
CREATE FUNCTION oqs_has_interval(words text, leaves jsonb, steps integer[]) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  terms text[] := string_to_array(words, ' ');
  leaf jsonb;
  -- A stack of lists of intervals, by their first and last terms, with the start of each list.
  lows integer[] := '{}';
  highs integer[] := '{}';
  starts integer[] := '{}';
  depth integer := 0;
  operation integer;
  operands integer;
  max_gaps integer;
  base integer;
  found_lows integer[];
  found_highs integer[];
  places integer[];
  ends integer[];
  first_event integer;
  last_event integer;
  low integer;
  high integer;
  last_low integer;
  gaps integer;
  at integer;
  list_end integer;
  is_complete boolean;
  pair record;
BEGIN
  FOR step IN 1 .. cardinality(steps) / 3 LOOP
    operation := steps[3 * step - 2];
    operands := steps[3 * step - 1];
    max_gaps := steps[3 * step];
    found_lows := '{}';
    found_highs := '{}';
    IF operation = 0 THEN
      leaf := leaves -> operands;
      IF jsonb_typeof(leaf) = 'string' THEN
        found_lows := ARRAY(
          SELECT n FROM unnest(terms) WITH ORDINALITY AS listed (term, n)
          WHERE starts_with(term, leaf #>> '{}')
        );
      ELSIF jsonb_array_length(leaf) = 1 THEN
        found_lows := array_positions(terms, leaf ->> 0);
      ELSE
        found_lows := ARRAY(
          SELECT n FROM unnest(terms) WITH ORDINALITY AS listed (term, n)
          WHERE jsonb_exists(leaf, term)
        );
      END IF;
      found_highs := found_lows;
    ELSE
      base := depth - operands;
      last_low := 0;
      IF starts[base + 1] > cardinality(lows) THEN
        NULL; -- All lists are empty.
      ELSIF operation = 1 THEN
        -- Keeps the intervals that contain no other one: those that end later start later.
        FOR pair IN
          SELECT lows[k] AS low, highs[k] AS high
          FROM generate_series(starts[base + 1], cardinality(lows)) AS k
          ORDER BY 2, 1 DESC
        LOOP
          CONTINUE WHEN pair.low <= last_low;
          last_low := pair.low;
          found_lows := found_lows || pair.low;
          found_highs := found_highs || pair.high;
        END LOOP;
      ELSE
        is_complete := TRUE;
        FOR part IN 1 .. operands LOOP
          list_end := coalesce(starts[base + part + 1], cardinality(lows) + 1);
          is_complete := is_complete AND list_end > starts[base + part];
        END LOOP;
        -- The interval before the first one of each list.
        places := starts[base + 1 : depth];
        FOR part IN 1 .. operands LOOP
          places[part] := places[part] - 1;
        END LOOP;
        first_event := starts[depth];
        last_event := cardinality(lows);
        IF NOT is_complete THEN
          last_event := 0;
        ELSIF operation = 3 THEN
          ends := ARRAY(SELECT DISTINCT unnest(highs[starts[base + 1] : cardinality(highs)]) ORDER BY 1);
          first_event := 1;
          last_event := cardinality(ends);
        END IF;
        FOR event IN first_event .. last_event LOOP
          is_complete := TRUE;
          gaps := 0;
          IF operation = 2 THEN
            -- The nearest interval before, for each part from the last one on.
            low := lows[event];
            high := highs[event];
            FOR part IN REVERSE operands - 1 .. 1 LOOP
              list_end := starts[base + part + 1];
              at := places[part];
              WHILE at + 1 < list_end AND highs[at + 1] < low LOOP
                at := at + 1;
              END LOOP;
              places[part] := at;
              IF at < starts[base + part] THEN
                is_complete := FALSE;
                EXIT;
              END IF;
              gaps := gaps + low - highs[at] - 1;
              low := lows[at];
            END LOOP;
          ELSE
            -- The last interval of each part that ends here or before.
            high := ends[event];
            low := high;
            FOR part IN 1 .. operands LOOP
              list_end := coalesce(starts[base + part + 1], cardinality(lows) + 1);
              at := places[part];
              WHILE at + 1 < list_end AND highs[at + 1] <= high LOOP
                at := at + 1;
              END LOOP;
              places[part] := at;
              IF at < starts[base + part] THEN
                is_complete := FALSE;
                CONTINUE;
              END IF;
              low := least(low, lows[at]);
              gaps := gaps - (highs[at] - lows[at] + 1);
            END LOOP;
            gaps := gaps + high - low + 1;
          END IF;
          -- Both ends only grow, so an interval contains the one before if it has the same start.
          IF is_complete AND (max_gaps < 0 OR gaps <= max_gaps) AND low > last_low THEN
            last_low := low;
            found_lows := found_lows || low;
            found_highs := found_highs || high;
          END IF;
        END LOOP;
      END IF;
      lows := lows[1 : starts[base + 1] - 1];
      highs := highs[1 : starts[base + 1] - 1];
      starts := starts[1 : base];
      depth := base;
    END IF;
    depth := depth + 1;
    starts := starts || (cardinality(lows) + 1);
    lows := lows || found_lows;
    highs := highs || found_highs;
  END LOOP;
  RETURN cardinality(lows) > 0;
END
$$;

-- The texts of a field as their terms, separated by spaces, from the positions of its lexemes. Values
-- of a field have a free position between them. A lexeme without a position is a text of its own.
CREATE FUNCTION oqs_texts(lexemes tsvector, prefix text) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ' ' || string_agg(placed.lexeme, ' ' ORDER BY placed.position) || ' '
  FROM (
    SELECT listed.lexeme, one.position,
      one.position - row_number() OVER (ORDER BY one.position) AS text_number
    FROM unnest(lexemes) AS listed, unnest(listed.positions) AS one (position)
    WHERE starts_with(listed.lexeme, prefix)
  ) AS placed
  GROUP BY placed.text_number
  UNION ALL
  SELECT ' ' || listed.lexeme || ' '
  FROM unnest(lexemes) AS listed
  WHERE listed.positions IS NULL AND starts_with(listed.lexeme, prefix)
$$;
