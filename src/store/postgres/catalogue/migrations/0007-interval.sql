-- The same function as before, faster: the positions of a term are found by a function of the
-- database, and lists grow in place instead of being copied for each interval.
--
-- True if a text, given as its terms separated by spaces, satisfies an interval rule. A leaf is a list
-- of terms, or a prefix. The steps are in postfix order, each as three numbers: an operation, the
-- number of its leaf or of its operands, and the largest gap or -1. The same steps as
-- query/matching/interval.ts.
CREATE OR REPLACE FUNCTION oqs_has_interval(words text, leaves jsonb, steps integer[]) RETURNS boolean
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
