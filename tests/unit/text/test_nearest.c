/* Names that a person may have meant. */
#include "test.h"
#include "text/text.h"

TEST(distances_count_letters_twice_and_case_once)
{
    assert_ints(name_distance("red", "red"), 0, name_distance("Red", "red"), 1,
                name_distance("rad", "red"), 2, name_distance("reed", "red"), 2,
                name_distance("rd", "red"), 2, name_distance("een", "green"), 1);
    assert_int_equal(name_distance("re", "red"), 2); /* too short to be a part of it */
    assert_ints(name_distance("red", "an-endless-name-of-many-more-than-thirty-one-letters"), 62,
                name_distance("an-endless-word-of-thirty-two-ch", "red"), 62);
}
